/** What a build published, asked as a reader would: for tests. */
import { openIndex } from "../snapshots/index/open.ts";
import { answer } from "../snapshots/http/answer.ts";
import { openRenderer } from "../snapshots/page/renderer.ts";
import { openView, type View } from "../snapshots/http/view.ts";
import { openShelves, VERSION } from "./build.ts";
import { compileSite } from "./compile-site.ts";
import type { Config } from "./config.ts";

export type Asked = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  json(): unknown;
};

/** A view of a configuration's shelf that looks at the pointer before every answer. */
export async function openFixtureView(config: Config, name: "public" | "internal" = "public"): Promise<View> {
  const shelf = openShelves(config)[name];
  const { dist } = await compileSite();
  const pages = openRenderer(dist);
  let time = Date.now();
  return openView({
    view: name,
    shelf,
    renderer: () => pages,
    index: () => openIndex(shelf.indexUri),
    runtime: { version: VERSION, components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } },
    now: () => (time += 1000),
    listing: null,
  });
}

export async function ask(view: View, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const { status, headers: found, body } = await answer(view, { method: "GET", target, header: (name) => headers[name] ?? null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { status, headers: found, body: bytes, text: bytes.toString(), json: () => JSON.parse(bytes.toString()) as unknown };
}
