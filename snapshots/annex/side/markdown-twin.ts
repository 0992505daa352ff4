/** The Markdown twin of a page: the folder at `/browse/notes/` has one at `/browse/notes/index.md`. */
import { absoluteHref, hasTwin } from "#snapshots/format";
import { type OpenSnapshot, otherProofs } from "#snapshots/query";
import { readText } from "#snapshots/tools";
import { pageMarkdown } from "./markdown.ts";
import type { PageInput } from "#snapshots/page";

const MAX_TEXT = 1024 * 1024; // bytes of an object that its twin repeats, characters of a PDF; a longer one is named only

/** markdownTwin reads the page at a path once more, as Markdown. @returns null where `hasTwin` of ../../format/layout.ts is false */
export async function markdownTwin(open: OpenSnapshot, input: PageInput): Promise<string | null> {
  if (!hasTwin(input.chrome.path)) return null;
  const data = await open.snapshot.data();
  const text = input.model.page === "object" ? await objectText(open, input.model.key) : null;
  const proofs = input.model.page === "record" ? await otherProofs(open, input.model.record) : [];
  return pageMarkdown(input, { href: (target) => absoluteHref(data, target, null), proofs }, text);
}

async function objectText({ snapshot }: OpenSnapshot, key: string): Promise<string | null> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob" || (entry.size > MAX_TEXT && entry.type !== "application/pdf")) return null;
  const source = await readText(snapshot, key, entry);
  const text = source.from === "none" ? null : source.lines.join("\n");
  return text === null || text.length > MAX_TEXT ? null : text;
}
