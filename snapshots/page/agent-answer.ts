/** What agents fetch without MCP: /.well-known/mcp.json, llms-full.txt, and the Markdown twin of a page. */
import { absoluteHref } from "../format/view-data.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { readText } from "../tools/object-text.ts";
import { mcpDescription } from "./agents-page.ts";
import { llmsFullText } from "./llms-full.ts";
import { pageMarkdown } from "./markdown.ts";
import type { PageInput } from "./model.ts";

/** Bytes of an object that its twin repeats; a longer one is named only. */
const MAX_TEXT = 1024 * 1024;
const MARKDOWN_FILE = "index.md";

export type TextContent = { readonly type: string; readonly bytes: Uint8Array };

/** @param path inside the view
 *  @param findPage the model of the page at a path, or null
 *  @returns null when the path is none of these */
export async function agentFile(
  open: OpenSnapshot,
  path: string,
  findPage: (path: string) => Promise<PageInput | null>,
): Promise<TextContent | null> {
  const { snapshot } = open;
  const utf8 = (type: string, text: string): TextContent => ({ type, bytes: new TextEncoder().encode(text) });
  if (path === "/.well-known/mcp.json") return utf8("application/json", JSON.stringify(mcpDescription(await snapshot.data())));
  if (path === "/llms-full.txt") return utf8("text/plain; charset=utf-8", await llmsFullText(snapshot));
  if (!path.endsWith(`/${MARKDOWN_FILE}`)) return null;
  const input = await findPage(path.slice(0, -MARKDOWN_FILE.length));
  if (input === null) return null;
  const data = await snapshot.data();
  const text = input.model.page === "object" ? await objectText(open, input.model.key) : null;
  const markdown = pageMarkdown(input, { href: (target) => absoluteHref(data, target, null) }, text);
  return markdown === null ? null : utf8("text/markdown; charset=utf-8", markdown);
}

async function objectText({ snapshot }: OpenSnapshot, key: string): Promise<string | null> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob" || entry.size > MAX_TEXT) return null;
  const source = await readText(snapshot, key, entry);
  return source.from === "none" ? null : source.lines.join("\n");
}
