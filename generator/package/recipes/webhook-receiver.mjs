// Takes what a build tells, checks who signed it, and prints it: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs 8787
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const secret = Buffer.from(process.env.WEBHOOK_SECRET.slice("whsec_".length), "base64");
const server = createServer(async (request, response) => {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature = "" } = request.headers;
  const body = await text(request);
  const right = Buffer.from(`v1,${createHmac("sha256", secret).update(`${id}.${time}.${body}`).digest("base64")}`);
  const good = right.length === signature.length && timingSafeEqual(right, Buffer.from(signature)) && Math.abs(Date.now() / 1000 - time) < 300;
  if (good) console.log(body);
  response.writeHead(good ? 204 : 401).end();
});
server.listen(Number(process.argv[2] ?? 8787), "127.0.0.1", () => console.error(`port ${server.address().port}`));
