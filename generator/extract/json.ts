/** JSON and YAML: members at the top level, by lines. Neither is built into values for its passages: depth, aliases and numbers of
 *  strangers have nothing to break here. */
import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";
import { z } from "zod";
import { formatCode } from "./code-view.ts";
import { MAX_SHOWN, type Body, type SourceText } from "./body.ts";
import { escapeHtml, loadLanguage } from "#snapshots/highlight";
import type { Lines } from "#snapshots/blocks";
import { skipString } from "#snapshots/format";
import { cutPassages, headingPath, MIN_LENGTH, shorten, TARGET_LENGTH, type Mark } from "./passages.ts";

const MAX_TITLE_LINES = 20;

export async function readJson(source: SourceText, mediaType: string): Promise<Body> {
  await loadLanguage("json");
  const notes: string[] = [];
  let title: string | null = null;
  let signed: unknown;
  if (mediaType !== "application/jsonl" && source.text.length <= MAX_SHOWN) {
    const value = parseJson(source.text);
    if (value === undefined) notes.push("This JSON does not parse; it is shown as text.");
    signed = signedIn(value);
    title = signed === undefined ? titleOf(value) : titleOfSigned(signed);
  }
  const members = findJsonMembers(source.lines);
  return {
    title,
    summary: "",
    passages: cutPassages(source.lines, packMembers(source.lines, members)),
    html: `${signed === undefined ? "" : showSigned(signed)}${formatCode(source, "json")}`,
    notes,
  };
}

/** readYaml reads the first lines of its members, and does not parse it: aliases can make a small file a huge value. */
export async function readYaml(source: SourceText): Promise<Body> {
  await loadLanguage("yaml");
  const { lines } = source;
  const members: Member[] = [];
  let title: string | null = null;
  for (let line = 1; line <= lines.count; line++) {
    const unit = lines.text.charCodeAt(lines.start(line));
    // Indented lines, comments and closing brackets go on with what is open.
    if (!(unit > 32) || unit === 35 || unit === 93 || unit === 125) continue;
    const content = lines.text.slice(lines.start(line), Math.min(lines.end(line), lines.start(line) + 300));
    const found = /^(?:"([^"\\]*)"|'([^']*)'|([^\s#:'"-][^:#]*))\s*:(?:\s|$)/.exec(content);
    const name = found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
    if (name === null && !/^-(?:\s|--)/.test(content)) continue;
    members.push({ line, name });
    if (name === "title" && title === null) title = readTitle(lines, line);
  }
  return {
    title,
    summary: "",
    passages: cutPassages(lines, packMembers(lines, members)),
    html: formatCode(source, "yaml"),
    notes: [],
  };
}

/** The scalar of a member, as YAML reads it, out of its own lines alone: nothing else of the file is parsed. */
function readTitle(lines: Lines, line: number): string | null {
  let last = line;
  while (last < lines.count && last - line < MAX_TITLE_LINES && (lines.isBlank(last + 1) || /^[ \t]/.test(lines.slice(last + 1, last + 1))))
    last++;
  try {
    const value = load(lines.slice(line, last), { schema: FAILSAFE_SCHEMA, maxDepth: 10, maxAliases: 10 });
    const title: unknown = typeof value === "object" && value !== null ? Object.values(value)[0] : null;
    return typeof title === "string" ? title.replaceAll(/\s+/g, " ").trim() || null : null;
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

type Member = { readonly line: number; readonly name: string | null };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

const Envelope = z.object({ payloadType: z.string().endsWith("json"), payload: z.base64() });
const Check = z.object({
  predicate: z.object({ repo: z.string(), revision: z.string(), tool: z.object({ name: z.string(), version: z.string() }) }),
});
const MAX_SIGNED = 40_000; // UTF-16 units

/** The statement that an envelope (DSSE) holds, which nobody can read as it stands; undefined for any other value. */
function signedIn(value: unknown): unknown {
  const { data } = Envelope.safeParse(value);
  return data === undefined ? undefined : parseJson(Buffer.from(data.payload, "base64").toString());
}

/** Above the envelope, whose lines keep their numbers. */
function showSigned(statement: unknown): string {
  const text = escapeHtml(JSON.stringify(statement, null, 1).slice(0, MAX_SIGNED));
  return `<h2>What is signed</h2><pre><code>${text}</code></pre><h2>As it lies here</h2>\n`;
}

function titleOfSigned(statement: unknown): string {
  const { data } = Check.safeParse(statement);
  if (data === undefined) return "Signed statement";
  const { repo, revision, tool } = data.predicate;
  return `Check of ${repo} at ${revision.slice(0, 7)} by ${tool.name} ${tool.version}`;
}

function titleOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const title: unknown = Object.entries(value).find(([name]) => name === "title")?.[1];
  return typeof title === "string" && title.trim() !== "" ? title : null;
}

/** Where the members of the outermost object or array begin. Counts brackets outside strings; never recurses. */
function findJsonMembers(lines: Lines): Member[] {
  const { text } = lines;
  const members: Member[] = [];
  const token = /"|[{}[\],]/g;
  let depth = 0;
  let at = 0;
  const add = (offset: number): void => {
    const found = /^\s*(?:"([^"\\]{0,200})"\s*:|[^\s\]}])/.exec(text.slice(offset, offset + 400));
    if (found === null) return;
    const line = lines.lineAt(offset + found[0].length - 1);
    if ((members.at(-1)?.line ?? 0) < line) members.push({ line, name: found[1] ?? null });
  };
  for (;;) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) return members;
    at = token.lastIndex;
    const sign = found[0];
    if (sign === '"') at = skipString(text, at);
    else if (sign === ",") {
      if (depth === 1) add(at);
    } else if (sign === "{" || sign === "[") {
      if (depth === 0 && (members.at(-1)?.line ?? 0) < lines.lineAt(found.index))
        members.push({ line: lines.lineAt(found.index), name: null });
      if (++depth === 1) add(at);
    } else if (depth > 0) depth--;
  }
}

function packMembers(lines: Lines, members: readonly Member[]): Mark[] {
  const marks: Mark[] = [];
  let open = 0;
  for (const [index, member] of members.entries()) {
    const last = (members[index + 1]?.line ?? lines.count + 1) - 1;
    const length = lines.end(last) - lines.start(member.line);
    if (length >= MIN_LENGTH) {
      marks.push({
        line: member.line,
        heading: headingPath(member.name === null ? [] : [shorten(member.name, 200)]),
        name: null,
      });
      open = 0;
    } else if (open === 0 || lines.end(last) - lines.start(open) > TARGET_LENGTH) {
      marks.push({ line: member.line, heading: [], name: null });
      open = member.line;
    }
  }
  return marks;
}
