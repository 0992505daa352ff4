/** Coq text into declarations: doc comment, name, statement and proof together. */
import { type CoqItem, readCoqCommand, readSentences } from "./coq-sentences.ts";
import type { Lines } from "#snapshots/blocks";
import { openMarks } from "./marks.ts";
import type { Mark } from "./passages.ts";

const STATEMENTS = new Set(["Theorem", "Lemma", "Fact", "Remark", "Corollary", "Proposition", "Property", "Goal"]);
/** These take a proof when they give no body. */
const DEFINITIONS = new Set(["Definition", "Example", "Fixpoint", "CoFixpoint", "Instance", "Let"]);
const OTHERS = new Set(
  (
    "Inductive CoInductive Variant Record Structure Class Axiom Conjecture Parameter Parameters Function Equations " +
    "Ltac Ltac2 Canonical"
  ).split(" "),
);
const SCOPES = new Set(["Section", "Module", "End", "Chapter"]);
const PROOF_ENDS = new Set(["Qed", "Defined", "Admitted", "Abort", "Save"]);

/** A heading in a coqdoc comment: one to four stars, then its title. */
const DOC_HEADING = /^\(\*\*\s+(\*{1,4})\s+([^\n]*)/;

/** findCoqMarks finds the marks of a Coq file. Headings are coqdoc headings, then enclosing modules and sections. */
export function findCoqMarks(lines: Lines): Mark[] {
  const { text } = lines;
  const list = openMarks(lines);
  const docs: string[] = [];
  const scopes: string[] = [];
  const heading = (): string[] => [...docs, ...scopes];
  let comment = null as CoqItem | null;
  let open = null as { start: number; end: number; name: string | null; proof: boolean } | null;
  const close = (): void => {
    if (open !== null) list.declare(open.start, open.end - 1, open.name, heading());
    open = null;
  };
  for (const item of readSentences(text)) {
    if (item.comment) {
      if (open?.proof === true) continue;
      const title = DOC_HEADING.exec(text.slice(item.start, item.start + 400));
      if (title === null) {
        comment = joinsComment(lines, comment, item) ? { ...item, start: comment?.start ?? item.start } : item;
        continue;
      }
      close();
      docs.length = Math.min(docs.length, (title[1] ?? "*").length - 1);
      docs.push((title[2] ?? "").replace(/\*+\)\s*$/, "").trim());
      list.free(item.start, heading(), "opens");
      comment = null;
      continue;
    }
    const command = readCoqCommand(text, item);
    const word = command?.word ?? "";
    const declares = STATEMENTS.has(word) || DEFINITIONS.has(word) || OTHERS.has(word);
    if (open !== null) {
      const startsProof = word === "Proof";
      if ((open.proof || startsProof) && !declares && !SCOPES.has(word)) {
        open.end = item.end;
        open.proof = true;
        const term = startsProof && /^Proof\s+(?!with\b|using\b)\S/.test(text.slice(item.start, item.start + 40));
        if (PROOF_ENDS.has(word) || term) close();
        comment = null;
        continue;
      }
      close();
    }
    const doc: CoqItem | null = comment;
    comment = null;
    const start = doc !== null && joinsComment(lines, doc, item) ? doc.start : item.start;
    if (declares) {
      // A statement is open until its proof ends; a definition only when it gives no body.
      const proof = STATEMENTS.has(word) || (DEFINITIONS.has(word) && !text.slice(item.start, item.end).includes(":="));
      open = { start, end: item.end, name: word === "Goal" ? null : (command?.name ?? null), proof };
    } else if (word === "Section" || word === "Chapter" || word === "Module") {
      if (command !== null && command.name !== null && !(word === "Module" && text.slice(item.start, item.end).includes(":="))) {
        scopes.push(command.name);
      }
      list.free(start, heading(), "opens");
    } else if (word === "End" && scopes.length > 0) {
      scopes.pop();
      list.free(item.start, heading(), "tail");
    }
  }
  close();
  return list.marks;
}

/** joinsComment tells whether a comment belongs to what follows: no blank line stands between them. */
function joinsComment(lines: Lines, comment: CoqItem | null, next: CoqItem): boolean {
  return comment !== null && lines.lineAt(next.start) - lines.lineAt(comment.end - 1) <= 1;
}
