/** A view of what a build published, asked as a reader would: for tests. */
import { openIndex } from "../../snapshots/index/open.ts";
import { answer } from "../../snapshots/http/answer.ts";
import { openRenderer } from "../../snapshots/page/renderer.ts";
import { openView, type View } from "../../snapshots/http/view.ts";

import { VERSION } from "../files/version.ts";
import { compileSite } from "../pages/compile-site.ts";
import type { Config } from "../config/config.ts";
import { openShelves } from "./whole.ts";
import { SERVICE } from "../../snapshots/service/service.ts";

export type Asked = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  json(): unknown;
};

/** openFixtureView returns a view of a configuration's shelf, for `ask`. */
export async function openFixtureView(config: Config, name: "public" | "internal" = "public"): Promise<View> {
  const shelf = openShelves(config)[name];
  const { dist } = await compileSite();
  const pages = openRenderer(dist);
  return openView({
    service: SERVICE,
    view: name,
    shelf,
    renderer: () => pages,
    index: () => openIndex(shelf.indexUri),
    runtime: { version: VERSION, components: () => [], limits: {}, auth: {}, mcp: { endpoint: "/mcp", versions: [], tools: [] } },
    now: Date.now,
    listing: null,
  });
}

/** ask looks at the pointer first: what was just published is what is asked. */
export async function ask(view: View, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Asked> {
  // Where nothing can be opened the answer says it.
  await view.refresh().catch(() => undefined);
  const { status, headers: found, body } = await answer(view, { method: "GET", target, header: (name) => headers[name] ?? null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { status, headers: found, body: bytes, text: bytes.toString(), json: () => JSON.parse(bytes.toString()) as unknown };
}
