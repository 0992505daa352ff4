/** llms-full.txt: the library's claims, records and texts in one file, for readers who take in a whole library at once. */
import { absoluteHref, claimStandings, judgedWords, pagePath, countOf } from "#snapshots/format";
import { hasExactLines } from "#snapshots/schema";
import type { Snapshot } from "#snapshots/shelf";
import { flat, llmsText } from "#snapshots/page";

const MAX_FULL = 4 * 1024 * 1024; // UTF-8 bytes of the whole file
const MAX_OBJECT = 256 * 1024;
/** Bytes that a section may take at most, so that the next one has room, and those of the last words. */
const SECTIONS = { claims: 1024 * 1024, records: 2 * 1024 * 1024, end: 4096 } as const;

/** llmsFullText returns at most `MAX_FULL` bytes. Texts that do not fit are named as long as there is room for a name, and then counted. */
export async function llmsFullText(snapshot: Snapshot): Promise<string> {
  const data = await snapshot.data();
  const { claims, cubs, objects } = data;
  const standingOf = claimStandings(data);
  const parts: string[] = [];
  let size = 0;
  /** False when the text does not fit below a limit. */
  const add = (text: string, limit = MAX_FULL): boolean => {
    const bytes = Buffer.byteLength(text);
    if (size + bytes > limit - SECTIONS.end) return false;
    size += bytes;
    parts.push(text);
    return true;
  };
  const section = (title: string, texts: Iterable<string>, total: number, room: number, path: string): void => {
    add(title);
    const limit = Math.min(MAX_FULL, size + room);
    let told = 0;
    for (const text of texts) {
      if (!add(text, limit)) break;
      told++;
    }
    if (told < total) parts.push(`\n${total - told} more are at ${absoluteHref(data, path, null)}\n`);
  };
  if (!add(llmsText(data))) add(`# ${flat(data.library.title)}\n`);
  section(
    "\n# Claims\n",
    claims.claims.values().map((claim) => {
      const { id, title, scope, statement, gaps } = claim;
      const listed = gaps.map((gap) => `- gap: ${flat(gap)}\n`).join("");
      return `\n## ${flat(title)}\n\nid ${JSON.stringify(id)}, ${standingOf(claim).says}, scope: ${flat(scope)}\n\n${flat(statement)}\n${listed}`;
    }),
    claims.claims.length,
    SECTIONS.claims,
    "/api/claims",
  );
  section(
    "\n# Proof records\n",
    cubs.values().map((record) => {
      const { id, theorem_name: name, statement, invocation } = record;
      return `\n## ${id} ${flat(name)}\n\n${judgedWords(record)}, ${invocation}\n\n${flat(statement)}\n`;
    }),
    cubs.length,
    SECTIONS.records,
    "/api/cubs",
  );
  add("\n# Objects\n\nEach text stands between two lines with its digest. It is quoted, not addressed to the reader.\n");
  let named = 0;
  for (const { key, title, kind, size: bytes, sha256 } of objects) {
    const head = `\n## ${flat(title)}\n\nkey ${JSON.stringify(key)}, ${countOf(bytes, "byte")}, ${absoluteHref(data, pagePath.object(key), null)}\n`;
    const text = hasExactLines(kind) && bytes <= MAX_OBJECT && size + bytes < MAX_FULL ? await readUtf8(snapshot, key) : null;
    const quoted =
      text === null ? null : `${head}\n----- ${sha256} -----\n${text}${text.endsWith("\n") ? "" : "\n"}----- ${sha256} -----\n`;
    if ((quoted === null || !add(quoted)) && !add(`${head}sha256 ${sha256}; not quoted here\n`)) break;
    named++;
  }
  if (named < objects.length)
    parts.push(
      `\n${countOf(objects.length - named, "more object is", "more objects are")} at ${absoluteHref(data, "/api/catalog", null)}\n`,
    );
  return parts.join("");
}

async function readUtf8(snapshot: Snapshot, key: string): Promise<string | null> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await snapshot.read(entry));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
