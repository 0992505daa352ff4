/** A model for tests that can do everything a bad one does: a real HTTP server whose behaviour is chosen per test. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type ChatCall = {
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly system: string;
  readonly user: string;
};
/** A Behaviour writes the response, or returns the text that is streamed as the answer. */
export type Behaviour = (call: ChatCall, response: ServerResponse) => string | null;

export type ModelDouble = {
  readonly baseUrl: string;
  readonly calls: ChatCall[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
};

export async function openModelDouble(): Promise<ModelDouble> {
  const calls: ChatCall[] = [];
  let behaviour: Behaviour = () => "";
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const call = {
        headers: request.headers,
        path: request.url ?? "",
        system: messages[0]?.content ?? "",
        user: messages[1]?.content ?? "",
      };
      calls.push(call);
      const text = behaviour(call, response);
      if (text !== null) stream(response, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    behave: (next) => (behaviour = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends a text as chat completion events, in uneven pieces. */
function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (let at = 0; at < text.length; at += 7) response.write(event(text.slice(at, at + 7)));
  response.end("data: [DONE]\n\n");
}

export function event(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
}

/** excerptsOf returns the excerpts of a prompt, as an honest or dishonest model reads them. */
export function excerptsOf(user: string): string[] {
  return [...user.matchAll(/<<(\S+) excerpt \d+: [^\n]*>>\n([^]*?)\n<<\1 end of excerpt \d+>>/g)].map((match) => match[2] ?? "");
}
