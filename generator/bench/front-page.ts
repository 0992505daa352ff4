/** Bytes that a browser receives for a page and everything it loads at once: status lines and headers included, as they are on the wire. */
import { get } from "node:http";

/** What a page loads by itself: stylesheets, scripts, images, preloads, and what a script imports at its top. */
const REFERENCES = [
  /<link\b(?=[^>]*\brel="?(?:stylesheet|icon|modulepreload|preload)\b)[^>]*\bhref="?([^"\s>]+)/g,
  /<(?:script|img)\b[^>]*\bsrc="?([^"\s>]+)/g,
];
const IMPORTS = [/\bimport\s*(?:[\w*{}\s,$]+\bfrom\s*)?["']([^"']+)["']/g];
const STYLE_URLS = [/url\(["']?([^"')]+)/g];

export async function frontPageBytes(url: string): Promise<number> {
  const waiting = [url];
  const seen = new Set<string>();
  let sum = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next) || !next.startsWith(new URL(url).origin)) continue;
    seen.add(next);
    const { bytes, type } = await receive(next, "br");
    sum += bytes;
    const { text } = await receive(next, "identity");
    const patterns = type.includes("html") ? REFERENCES : type.includes("javascript") ? IMPORTS : type.includes("css") ? STYLE_URLS : [];
    for (const pattern of patterns) {
      for (const [, found = ""] of text.matchAll(pattern))
        if (!found.startsWith("data:")) waiting.push(new URL(found.replaceAll("&amp;", "&"), next).href);
    }
  }
  return sum;
}

function receive(
  url: string,
  encoding: "br" | "identity",
): Promise<{ readonly bytes: number; readonly type: string; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers: { "Accept-Encoding": encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        if (response.statusCode === 200) {
          resolve({
            bytes: response.socket.bytesRead,
            type: response.headers["content-type"] ?? "",
            text: Buffer.concat(chunks).toString("utf8"),
          });
        } else reject(new Error(`${url} answered ${response.statusCode}.`));
      });
    });
    request.once("error", reject);
  });
}
