/** The plainest static host there is, for tests of exported folders: a file at its path, `index.html` in a folder, nothing else. It
 *  goes by the name, as common tables of types have it; of a name that it does not know it says nothing, so browsers look into it. */
import { createServer, type Server } from "node:http";
import { readFile, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml",
  wasm: "application/wasm",
  xhtml: "application/xhtml+xml",
  rs: "application/rls-services+xml",
  kml: "application/vnd.google-earth.kml+xml",
  mht: "multipart/related",
};

/** openStaticServer opens a server of plain files.
 *  @param base a folder of the host under which the export lies, like "/library" */
export async function openStaticServer(dir: string, base = ""): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    const file = await findFile(dir, path.startsWith(`${base}/`) ? path.slice(base.length) : "/nowhere");
    if (file === null) {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found");
      return;
    }
    const ending = /\.(\w+)$/.exec(file.path)?.[1] ?? "";
    const type = TYPES[ending];
    response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(file.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function findFile(dir: string, path: string): Promise<{ path: string; bytes: Buffer } | null> {
  try {
    const name = decodeURIComponent(path);
    if (name.includes("\0") || name.split("/").includes("..")) return null;
    const file = join(dir, name.endsWith("/") ? `${name}index.html` : name);
    return (await stat(file)).isFile() ? { path: file, bytes: await readFile(file) } : null;
  } catch {
    return null;
  }
}
