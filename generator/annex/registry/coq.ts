/** Coq text into declarations, without Coq: what .glob files list as declared, from the text alone. */
import { type CoqCommand, type CoqItem, readCoqCommand, readSentences } from "#generator/extract";
import { openLines } from "#snapshots/blocks";
import { type CoqPart, readCoqAssumptions, readCoqParts } from "./coq-parts.ts";
import { type Declaration, fold, type Hole } from "./declaration.ts";

type Class = Declaration["class"];
const CLASSES = new Map<string, Class>(
  (
    [
      ["theorem", "Theorem Lemma Fact Remark Corollary Proposition Property"],
      ["definition", "Definition Example Fixpoint CoFixpoint Instance Function Equations Canonical Coercion SubClass"],
      ["type", "Inductive CoInductive Variant Record Structure Class"],
      ["axiom", "Axiom Axioms Conjecture Conjectures Parameter Parameters Variable Variables Hypothesis Hypotheses"],
    ] as const
  ).flatMap(([name, words]) => words.split(" ").map((word) => [word, name] as const)),
);
/** In a section these are assumed there, and are no axioms. */
const LOCAL = /^(?:Variables?|Hypothes[ie]s|Context)$/;
const PROOF_ENDS = new Set(["Qed", "Defined", "Admitted", "Abort", "Save"]);
/** `Module M : T with Definition t := nat.` opens a module although it has the sign of a body. */
const WITH_IN_TYPE = /\bwith\s+(?:Definition|Module)\b[^:]*:=/g;
const HOLES = /\b(?:admit|give_up|Admitted)\b/g;

type Scope = { readonly name: string | null; readonly abstract: boolean; readonly assumed: string[] };
type Open = { declarations: Declaration[]; readonly from: number; proof: boolean };

/** scanCoq lists what a Coq file declares, in the order of its text. What was given up (`Abort`) is none of it. */
export function scanCoq(text: string): Declaration[] {
  const lines = openLines(text);
  const found: Declaration[] = [];
  const scopes: Scope[] = [];
  const open: Open[] = [];
  let comment = null as CoqItem | null;

  const declare = (command: CoqCommand, sentence: CoqItem): void => {
    const { word } = command;
    const parts = partsOf(text, command, sentence);
    const summary = comment !== null && lines.lineAt(sentence.start) - lines.lineAt(comment.end - 1) <= 1 ? docOf(text, comment) : "";
    const inside = scopes.map(({ name }) => name).filter((name) => name !== null);
    const context = scopes.flatMap(({ assumed }) => assumed);
    const abstract = scopes.some((scope) => scope.abstract);
    const declarations = parts.map(
      (part): Declaration => ({
        kind: word,
        class: CLASSES.get(word) ?? "definition",
        name: [...inside, part.name].join("."),
        line: lines.lineAt(part.at),
        endLine: lines.lineAt(sentence.end - 1),
        statement: statementOf(part),
        context,
        holes: [],
        summary,
        abstract,
      }),
    );
    if (opensProof(word, parts)) open.push({ declarations, from: sentence.end, proof: false });
    else found.push(...declarations);
  };

  const finish = (word: string, sentence: CoqItem | null): void => {
    const ended = open.pop();
    if (ended === undefined || word === "Abort") return;
    const end = sentence?.end ?? text.length;
    // A proof that the file does not end is none.
    const holes =
      sentence === null
        ? [{ line: lines.count, what: "no end of the proof" }]
        : findHoles(text, ended.from, end).map(({ at, what }): Hole => ({ line: lines.lineAt(at), what }));
    for (const declared of ended.declarations)
      found.push({ ...declared, endLine: Math.max(declared.endLine, lines.lineAt(Math.max(0, end - 1))), holes });
  };

  for (const sentence of readSentences(text)) {
    if (sentence.comment) {
      comment = sentence;
      continue;
    }
    const command = readCoqCommand(text, sentence);
    if (command !== null) {
      const { word, name } = command;
      const proof = open.at(-1);
      if (command.before.includes("Fail") || command.before.includes("Succeed")) {
        // It leaves nothing behind.
      } else if (PROOF_ENDS.has(word)) {
        // `Save n` and `Defined n` name what a goal left without a name.
        const goal = proof?.declarations[0];
        if (name !== null && proof !== undefined && goal?.kind === "Goal")
          proof.declarations = [{ ...goal, kind: "Lemma", name: rename(goal.name, name) }];
        else if (goal?.kind === "Goal" && proof !== undefined) proof.declarations = [];
        finish(word, sentence);
      } else if (word === "Proof" && proof !== undefined) {
        proof.proof = true;
        // `Proof term.` is the whole proof.
        if (isTerm(text.slice(command.after, Math.min(sentence.end, command.after + 400)))) finish(word, sentence);
      } else if (word === "Section" || word === "Chapter") scopes.push({ name: null, abstract: false, assumed: [] });
      else if (word === "Module") openModule(text, scopes, command, sentence);
      else if (word === "End") scopes.pop();
      else if (LOCAL.test(word) && scopes.at(-1)?.name === null)
        scopes.at(-1)?.assumed.push(fold(textOf(text, command.after, sentence.end)));
      else if (CLASSES.has(word) || word === "Goal" || word === "Context" || (word === "Let" && name !== null)) {
        if (word === "Let") {
          scopes.findLast(({ name: of }) => of === null)?.assumed.push(`Let ${fold(textOf(text, command.after, sentence.end))}`);
          skipLocal(text, command, sentence, open);
        } else if (word !== "Context") declare(command, sentence);
      }
    }
    comment = null;
  }
  while (open.length > 0) finish("", null);
  return found.sort((a, b) => a.line - b.line);
}

/** A local definition of a section is no declaration; its proof may be open. */
function skipLocal(text: string, command: CoqCommand, sentence: CoqItem, open: Open[]): void {
  const parts = readCoqParts(text, command.after, sentence.end, false);
  if (parts[0]?.body === null && parts[0].name !== "Fixpoint" && parts[0].name !== "CoFixpoint")
    open.push({ declarations: [], from: sentence.end, proof: false });
}

function partsOf(text: string, command: CoqCommand, sentence: CoqItem): CoqPart[] {
  const { word } = command;
  if (word === "Goal")
    return [{ name: "Unnamed_thm", at: sentence.start, binders: "", type: textOf(text, command.after, sentence.end), body: null }];
  if (CLASSES.get(word) === "axiom") return readCoqAssumptions(text, command.after, sentence.end);
  const from =
    word === "Canonical"
      ? command.after + (/^\s+Structure\b/.exec(text.slice(command.after, command.after + 40))?.[0].length ?? 0)
      : command.after;
  const parts = readCoqParts(text, from, sentence.end, word !== "Equations" && word !== "Instance");
  // `Canonical x.` and `Coercion f : A >-> B.` say something of what is declared already.
  return word === "Canonical" || word === "Coercion" ? parts.filter(({ body }) => body !== null) : parts;
}

function opensProof(word: string, parts: readonly CoqPart[]): boolean {
  if (word === "Goal" || CLASSES.get(word) === "theorem") return parts.some(({ body }) => body === null);
  return CLASSES.get(word) === "definition" && word !== "Equations" && parts.some(({ body }) => body === null);
}

function statementOf({ binders, type, body }: CoqPart): string {
  const stated = type ?? (body === null ? "" : `:= ${body}`);
  return fold(binders === "" || type === null ? [binders, stated].filter((part) => part !== "").join(" ") : `forall ${binders}, ${type}`);
}

function openModule(text: string, scopes: Scope[], { after, name }: CoqCommand, sentence: CoqItem): void {
  const head = textOf(text, after, sentence.end);
  if (name === null || head.replaceAll(WITH_IN_TYPE, "").includes(":=") || /^\s*(?:Type\s+)?\S+\s*<\+/.test(head)) return;
  const parameters = /^\s*(?:(?:Type|Import|Export)\s+)?[\p{L}_][\p{L}\p{N}_']*\s*\(/u.test(head);
  scopes.push({ name, abstract: /^\s*Type\s/.test(head) || parameters, assumed: [] });
}

/** A stretch without its comments and without the final dot. */
function textOf(text: string, from: number, to: number): string {
  // A brace at the beginning of a sentence would be one of a proof.
  const [brace = ""] = /(?<=^\s*)[{}]/.exec(text.slice(from, to)) ?? [];
  let kept = brace;
  for (const part of readSentences(text.slice(from, to))) if (!part.comment) kept += `${text.slice(from + part.start, from + part.end)} `;
  return kept.trim().replace(/\.$/, "");
}

function isTerm(rest: string): boolean {
  return !/^\s*(?:\.|\(\*|with\b|using\b)/.test(rest);
}

function* words(text: string, from: number, to: number): Generator<{ at: number; what: string }> {
  HOLES.lastIndex = 0;
  for (const found of text.slice(from, to).matchAll(HOLES)) yield { at: from + found.index, what: found[0] };
}

/** Holes of a proof, none of them in a comment. */
function findHoles(text: string, from: number, to: number): { at: number; what: string }[] {
  const within = text.slice(from, to);
  if (within.search(HOLES) < 0) return [];
  const found: { at: number; what: string }[] = [];
  for (const part of readSentences(within)) if (!part.comment) found.push(...words(text, from + part.start, from + part.end));
  return found;
}

function rename(name: string, last: string): string {
  return [...name.split(".").slice(0, -1), last].join(".");
}

function docOf(text: string, { start, end }: CoqItem): string {
  const comment = text.slice(start, Math.min(end, start + 4000));
  if (!comment.startsWith("(**") || comment.startsWith("(***")) return "";
  return fold(comment.replace(/^\(\*\*(?:\s+\*{1,4}(?=\s))?/, "").replace(/\*+\)$/, ""));
}
