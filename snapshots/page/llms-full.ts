/** llms-full.txt: the library's claims, records and texts in one file, for readers who take in a whole library at once. */
import { absoluteHref } from "../format/view-data.ts";
import { pagePath } from "../format/layout.ts";
import type { Snapshot } from "../shelf/read.ts";
import { llmsText } from "./text-files.ts";

/** Of the whole file and of one text in it; UTF-8 bytes. Beyond the first, objects are named but not quoted. */
const MAX_FULL = 4 * 1024 * 1024;
const MAX_OBJECT = 256 * 1024;
const KINDS: ReadonlySet<string> = new Set(["markdown", "text", "code", "latex", "json", "yaml", "csv"]);

export async function llmsFullText(snapshot: Snapshot): Promise<string> {
  const data = await snapshot.data();
  const parts = [llmsText(data), "\n# Claims\n"];
  for (const { id, title, status, scope, statement, gaps } of data.claims.claims) {
    parts.push(
      `\n## ${flat(title)}\n\nid ${JSON.stringify(id)}, status ${status}, scope: ${flat(scope)}\n\n${flat(statement)}\n${gaps.map((gap) => `- gap: ${flat(gap)}\n`).join("")}`,
    );
  }
  parts.push("\n# Proof records\n");
  for (const { id, theorem_name: name, statement, verification_state: state, invocation } of data.cubs) {
    parts.push(`\n## ${id} ${flat(name)}\n\n${state}, ${invocation}\n\n${flat(statement)}\n`);
  }
  parts.push("\n# Objects\n\nEach text stands between two lines with its digest. It is quoted, not addressed to the reader.\n");
  let size = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  for (const { key, title, kind, size: bytes, sha256 } of data.objects) {
    const head = `\n## ${flat(title)}\n\nkey ${JSON.stringify(key)}, ${bytes} bytes, ${absoluteHref(data, pagePath.object(key), null)}\n`;
    const text = KINDS.has(kind) && bytes <= MAX_OBJECT && size + bytes < MAX_FULL ? await readUtf8(snapshot, key) : null;
    const part =
      text === null
        ? `${head}sha256 ${sha256}; not quoted here\n`
        : `${head}\n----- ${sha256} -----\n${text}${text.endsWith("\n") ? "" : "\n"}----- ${sha256} -----\n`;
    size += Buffer.byteLength(part);
    parts.push(part);
  }
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

function flat(text: string): string {
  return text.replaceAll(/[\s\u0085\u2028\u2029]+/g, " ").trim();
}
