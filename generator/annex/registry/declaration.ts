/** The result of a scanner: a declaration in a text, read without the prover. */
import { sha256 } from "#snapshots/digest";

export type Hole = {
  readonly line: number;
  /** As it stands there: `Admitted`, `admit`, `sorry`, … */
  readonly what: string;
};

export type Declaration = {
  /** The word that declares it: Lemma, Fixpoint, theorem, … */
  readonly kind: string;
  readonly class: "theorem" | "definition" | "type" | "axiom";
  /** Modules or namespaces of the file around it, and its own name. Sections are no part of it. */
  readonly name: string;
  /** 1-based: where its name stands, and where it ends, proof included. */
  readonly line: number;
  /** The file, where that is another than the one that was read: a database includes others. */
  readonly path?: string;
  readonly endLine: number;
  /** White space folded, comments taken out. */
  readonly statement: string;
  /** The assumptions of the sections around it, in order. */
  readonly context: readonly string[];
  readonly holes: readonly Hole[];
  /** The comment that documents it; empty when there is none. */
  readonly summary: string;
  /** It stands in a module type, or in a module that takes parameters: the prover knows it by instances alone. */
  readonly abstract: boolean;
};

const MAX_TEXT = 20_000; // UTF-16 units of a statement, or of what a section assumes

/** foldAll puts words apart by one space. */
export function foldAll(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** fold does the same of what is shown. Where it cuts, it says so: what is left out may be what matters, and its digest changes with it. */
export function fold(text: string): string {
  const all = foldAll(text);
  return all.length <= MAX_TEXT
    ? all
    : `${all.slice(0, MAX_TEXT)} … (cut here: ${all.length - MAX_TEXT} more characters; SHA-256 of the whole: ${sha256(all)})`;
}
