/** The words that an author writes of a record stand in quotes: no word of it may pass for the standing, which follows from checks. */
import type { CubRecord, Formalization } from "#snapshots/schema";

const AUTHOR = "The author writes:";
/** A word or two, as those by which languages declare: Theorem, Fixpoint. */
const KIND = /^\p{L}[\p{L}\p{N}_ -]{0,40}$/u;
const SPEAKS = /verif|prove[dns]|proof|check|accept|certif|valid|sound|trust|audit|correct|complete|q\.?e\.?d/i;

/** kindWords gives the kind of a record where it is a word or two that claim nothing, else in quotes. */
export function kindWords({ kind }: Pick<CubRecord, "kind">): string {
  return kind === "" || (KIND.test(kind) && !SPEAKS.test(kind)) ? kind : `“${kind}”`;
}

/** authorWords puts a note or a comment into quotes, with whose words they are. */
export function authorWords(text: string): string {
  return `${AUTHOR} “${text}”`;
}

/** NOTE stands in a text that is searched where the words of its author begin. */
const NOTE = "\n“";

/** withNote joins what a record states and what its author notes, to be searched. */
export function withNote(said: string, note: string): string {
  return note === "" ? said : `${said}${NOTE}${note}”`;
}

/** splitNote parts the two again: whoever shows the note says whose words they are. */
export function splitNote(text: string): { readonly said: string; readonly note: string } {
  const at = text.indexOf(NOTE);
  return at < 0 ? { said: text, note: "" } : { said: text.slice(0, at), note: text.slice(at + NOTE.length).replace(/”$/, "") };
}

/** formalizationSentence says what the authors of a project say of it. */
export function formalizationSentence(said: Formalization): string {
  const { repo, name, authors, sources, methods, models, divergences, review, reviewers } = said;
  const list = (what: string, all: readonly string[]): string[] => (all.length === 0 ? [] : [`${what} ${all.join(", ")}`]);
  const parts = [
    ...list("by", authors),
    ...list(
      "of",
      sources.map(({ title, id }) => (id === "" ? title : `${title} (${id})`)),
    ),
    ...list("made as", methods),
    ...list("with", models),
    ...(divergences === "" ? [] : [`it leaves its source: ${divergences}`]),
    ...(review === "" ? [] : [`review: ${[review, ...reviewers].join(", ")}`]),
  ];
  return `The authors of ${repo} write: “${[name || repo, ...parts].join("; ")}”`;
}
