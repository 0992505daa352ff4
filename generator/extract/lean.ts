/** Lean text into declarations. Commands of Lean begin in the first column, so this goes by lines. */
import type { Lines } from "#snapshots/blocks";
import { LEAN_COMMENTS } from "#snapshots/highlight";
import { openComments } from "./declarations.ts";
import { markAt } from "./marks.ts";
import type { Mark } from "./passages.ts";

const MODIFIERS = String.raw`(?:@\[[^\]]*\]\s*)*(?:(?:private|protected|noncomputable|unsafe|partial|nonrec|scoped|local|public|meta)\s+)*`;
const DECLARATION = new RegExp(
  String.raw`^${MODIFIERS}(theorem|lemma|def|abbrev|instance|structure|class|inductive|coinductive|axiom|opaque|example|alias|irreducible_def)(?![\w'])` +
    String.raw`(?:\s+inductive\b)?(?:\s*\(priority[^)]*\))?\s*([^\s:({\[⦃|]*)`,
  "u",
);
/** Inside `mutual` and `namespace` some people indent; these words begin nothing else. */
const INDENTED = new RegExp(String.raw`^ {1,4}${MODIFIERS}(theorem|lemma|def|abbrev|inductive|structure)\s+([^\s:({\[⦃|]+)`, "u");
const COMMAND =
  /^(?:namespace|section|noncomputable section|public section|end|open|variable|universe|import|public import|module|set_option|attribute|export|include|omit|mutual|notation|infix[lr]?|prefix|postfix|macro|macro_rules|syntax|elab|elab_rules|declare_syntax_cat|initialize|builtin_initialize|deriving instance|run_cmd|add_decl_doc|suppress_compilation|local|scoped|#\w+)(?![\w'])/;
/** The beginning of a name that does not belong to the namespaces around it. */
const ROOT = "_root_.";
const DOC_HEADING = /^\/-!\s*(#{1,4})\s+(.*)/;
const DOC_HEADING_INSIDE = /^\s*(#{1,4})\s+(.*)/;

const MAX_SCOPES = 20; // of those around a passage that its heading is made of

/** A LeanCommand is a command on its line. A command that declares something has its name with the namespaces around it; a name may be "". */
export type LeanCommand = { readonly line: number; readonly word: string; readonly name: string; readonly declares: boolean };

/** findLeanMarks finds the marks of a Lean file. Headings are those of module docs, then enclosing namespaces and sections.
 *  @param tell gets each command as it is read */
export function findLeanMarks(lines: Lines, tell: (command: LeanCommand) => void = () => undefined): Mark[] {
  const marks: Mark[] = [];
  const docs: string[] = [];
  const scopes: { readonly title: string; readonly namespace: boolean }[] = [];
  const comments = openComments(LEAN_COMMENTS);
  let module = false;
  let prefix: number | null = null;
  const mark = (line: number, name: string | null, role?: "opens" | "tail"): void => {
    const heading = [...docs, ...scopes.slice(0, MAX_SCOPES).map((scope) => scope.title)].filter((part) => part !== "");
    marks.push(markAt(prefix ?? line, heading, name === null ? null : qualify(name), role));
    prefix = null;
  };
  const declare = (line: number, [, word = "", named = ""]: RegExpExecArray): void => {
    const name = named.replace(/\.$/, "");
    mark(line, name || null);
    tell({ line, word, name: name === "" ? "" : qualify(name), declares: true });
  };
  const qualify = (name: string): string =>
    name.startsWith(ROOT)
      ? name.slice(ROOT.length)
      : [...scopes.filter(({ namespace }) => namespace).map((scope) => scope.title), name].join(".");
  const title = (found: RegExpExecArray): void => {
    docs.length = Math.min(docs.length, (found[1] ?? "#").length - 1);
    docs.push((found[2] ?? "").replace(/-\/\s*$/, "").trim());
  };
  for (let line = 1; line <= lines.count; line++) {
    const start = lines.start(line);
    const first = lines.text.charCodeAt(start);
    const inside = comments.inside();
    const source = lines.text.slice(start, Math.min(lines.end(line), start + 1000));
    if (source.includes("-")) comments.step(source);
    if (inside) {
      const found = module ? DOC_HEADING_INSIDE.exec(source) : null;
      if (found !== null) title(found);
      if (!comments.inside()) module = false;
      continue;
    }
    if (first === 32) {
      const found = INDENTED.exec(source);
      if (found !== null) declare(line, found);
      continue;
    }
    if (source.startsWith("/-!")) {
      module = comments.inside();
      const found = DOC_HEADING.exec(source);
      if (found !== null) title(found);
      mark(line, null, "opens");
    } else if (source.startsWith("/-") || source.startsWith("@[")) {
      const found = source.startsWith("@[") ? DECLARATION.exec(source) : null;
      if (found !== null) declare(line, found);
      else prefix ??= line;
    } else if (source.startsWith("--")) {
      if (line === 1 || lines.isBlank(line - 1)) prefix ??= line;
    } else {
      readCommand(source, line);
    }
  }
  return marks;

  function readCommand(source: string, line: number): void {
    const found = DECLARATION.exec(source);
    if (found !== null) {
      declare(line, found);
    } else if (COMMAND.test(source)) {
      const [, word = "", name = ""] = /^(?:noncomputable |public )?(\w+)\s*(\S*)/.exec(source) ?? [];
      const opens = word === "namespace" || word === "section" || word === "mutual";
      if (opens) scopes.push({ title: name, namespace: word === "namespace" });
      else if (word === "end") scopes.pop();
      tell({ line, word, name, declares: false });
      mark(line, null, opens ? "opens" : word === "end" ? "tail" : undefined);
    } else if (source.trim() !== "") {
      prefix = null;
    }
  }
}
