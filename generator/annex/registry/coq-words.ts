/** Words of a statement that do not mean what they mean in the prover's prelude: whose they are, what they stand for, and where that is written. */
import { openLines } from "#snapshots/blocks";
import type { StatementWord } from "#snapshots/schema";
import { readCoqCommand, readSentences, withoutCoqComments } from "#generator/extract";
import { type Glob, type GlobDeclaration, globName } from "./coq-glob.ts";
import { NAMES, namesIn, type Read } from "./coq-reads.ts";
import type { AskedDeclaration } from "./request.ts";
import { sentenceAt } from "./coq-uses.ts";
import { fold } from "./declaration.ts";

/** GlobFile is one file of the sources, with Coq's list of it. */
export type GlobFile = {
  readonly path: string;
  readonly module: string;
  readonly source: Uint8Array;
  readonly glob: Glob;
  /** True where it loads others: places in its list may then be of these. */
  readonly hasParts: boolean;
};

const MAX_WORDS = 40; // marked in one statement
const MAX_TEXT = 400; // UTF-16 units of what a word stands for
/** Scopes that are open where nothing is imported. */
const USUAL_SCOPES = new Set(["", "core_scope", "type_scope", "nat_scope", "function_scope", "bool_scope"]);

/** openWords gives what marks the words of statements. @param files all of the sources that were compiled */
export function openWords(files: readonly GlobFile[]) {
  const opened = new Map(files.map((file) => [file.module, openFile(file)]));
  const defined = new Map<string, { readonly file: OpenFile; readonly one: GlobDeclaration }>();
  const literals: { readonly parts: readonly string[]; readonly full: string; readonly module: string }[] = [];
  for (const file of opened.values())
    for (const one of file.glob.declared) {
      const full = globName(file.module, one.inner, one.name);
      defined.set(full, { file, one });
      const parts = one.kind === "not" ? literalsOf(one.name) : null;
      if (parts !== null) literals.push({ parts, full, module: file.module });
    }
  const byLast = Map.groupBy(
    [...defined].flatMap(([full, { one }]) => (one.kind === "not" ? [] : [full])),
    (full) => full.split(".").at(-1) ?? "",
  );
  const isCalled = (full: string, word: string): boolean => full === word || full.endsWith(`.${word}`);
  const inserted = new Set(
    [...defined.keys()].filter((name) => opened.get(libraryOf(name, opened))?.coercions.has(name.split(".").at(-1) ?? "")),
  );
  const mark = (word: string, kind: StatementWord["kind"], full: string, standsFor?: string): StatementWord => {
    const there = defined.get(full);
    const hasPlace = there !== undefined && !there.file.hasParts;
    return {
      word: fold(word) || word,
      kind,
      stands_for: (standsFor ?? (hasPlace ? there.file.standsFor(there.one) || full : full)).slice(0, MAX_TEXT),
      ...(hasPlace ? { path: there.file.path, line: there.file.lineAt(there.one.at) } : {}),
    };
  };
  return {
    /** Names in these words that may be names of these sources. */
    candidates: (words: string): string[] =>
      namesIn(words).filter((name) => byLast.get(name.split(".").at(-1) ?? "")?.some((full) => isCalled(full, name))),
    /** @param visible modules whose notations may be there
     *  @param mentions full names of these sources that the type names, as the prover prints it with everything shown */
    of(
      { name, words }: AskedDeclaration,
      module: string,
      visible: ReadonlySet<string>,
      read: Read | undefined,
      mentions: readonly string[],
    ): StatementWord[] {
      const file = opened.get(module);
      const found = new Map<string, StatementWord>();
      const add = (word: StatementWord): void => void found.set(`${word.kind} ${word.word}`, word);
      for (const word of namesIn(words))
        if (isDisguised(word)) add(mark(word, "letters", "", `letters of another alphabet: ${spell(word)}`));
      if (/\bltac\s*:/.test(words)) add(mark("ltac:(…)", "tactic", "", "what a tactic finds"));
      for (const [word, before] of read?.shadows ?? []) {
        const named = (file?.namesAt(name) ?? []).filter((full) => defined.has(full));
        // A name that an alias of a module or an Include gives stands in no list of Coq's.
        const own = [...mentions, ...named].find((full) => isCalled(full, word));
        if (own !== undefined) add(mark(word, "name", own, `${own}, not ${before}`));
      }
      for (const [word, full] of read?.elsewhere ?? [])
        if (!found.has(`name ${word}`) && libraryOf(full, opened) === "")
          add(mark(word, "name", full, `${full}, by an import of these sources`));
      const bound = file?.boundAt(name, (word) => read?.usual.has(word) === true) ?? new Set();
      for (const word of namesIn(words))
        if (bound.has(word)) add(mark(word, "name", "", `a variable here, and not ${read?.usual.get(word)}`));
      const named = new Set<string>();
      for (const { word, library, inner, name: key, kind } of file?.referencesOf(name) ?? []) {
        const full = globName(library, inner, key);
        named.add(full);
        const scope = /^::([^:]*):/.exec(key)?.[1] ?? "";
        if (opened.has(library) && (kind === "not" || kind === "abbrev")) add(mark(word, "notation", full));
        else if (kind === "not" && read?.isType !== true && !USUAL_SCOPES.has(scope)) add(mark(word, "scope", "", scope));
      }
      if (read?.isType !== true) {
        const tokens: readonly string[] = words.match(/[\p{L}\p{N}_']+|[^\s\p{L}\p{N}_']/gu) ?? [];
        for (const { parts, full, module: of } of literals)
          if (visible.has(of) && !named.has(full) && parts.every((part) => tokens.includes(part) || words.includes(` ${part} `)))
            add(mark(parts.join(" "), "notation", full));
      }
      const written = new Set(namesIn(words).map((one) => one.split(".").at(-1) ?? ""));
      const throughNotations = [...found.values()].some(({ kind }) => kind === "notation");
      for (const full of mentions) {
        if (written.has(full.split(".").at(-1) ?? "") || named.has(full)) continue;
        if (inserted.has(full)) add(mark(full, "coercion", full, "put in by the prover where it is not written"));
        else if (!throughNotations) add(mark(full, "implicit", full, "put in by the prover where it is not written"));
      }
      return [...found.values()].slice(0, MAX_WORDS);
    },
  };
}

type OpenFile = ReturnType<typeof openFile>;
function openFile({ path, module, source, glob, hasParts }: GlobFile) {
  // One unit a byte, as .glob files count.
  const text = Buffer.from(source).toString("latin1");
  const textOf = (from: number, to: number): string => Buffer.from(text.slice(from, to), "latin1").toString("utf8");
  const sentences = [...readSentences(text)].filter(({ comment }) => !comment);
  const { lineAt } = openLines(text);
  const places = new Map<string, GlobDeclaration>();
  for (const one of glob.declared) if (one.kind !== "not") places.set(globName(module, one.inner, one.name), one);
  const references = glob.references.toSorted((a, b) => a.at - b.at);
  /** Places of names that are no variables of a statement. */
  const listed = new Set([...references, ...glob.declared].flatMap(({ at, kind }) => (kind === "var" || kind === "binder" ? [] : [at])));
  const coercions = new Set<string>();
  for (const sentence of sentences) {
    const command = readCoqCommand(text, sentence);
    if (command?.word === "Coercion" && command.name !== null) coercions.add(command.name.split(".").at(-1) ?? "");
    else if (command !== null && /:>/.test(text.slice(sentence.start, sentence.end)))
      for (const [, field = ""] of text.slice(sentence.start, sentence.end).matchAll(/([\p{L}_][\p{L}\p{N}_']*)\s*:>/gu))
        coercions.add(field);
  }
  const referencesOf = (name: string) => {
    const at = places.get(name)?.at;
    const sentence = at === undefined ? undefined : sentenceAt(sentences, at);
    if (sentence === undefined || hasParts) return [];
    return references
      .filter((one) => sentence.start <= one.at && one.at < sentence.end)
      .map((one) => ({ ...one, word: textOf(one.at, one.to) }));
  };
  return {
    path,
    module,
    glob,
    hasParts,
    lineAt,
    coercions,
    referencesOf,
    /** Full names that the statement of a declaration names. */
    namesAt: (name: string): string[] => referencesOf(name).map(({ library, inner, name: of }) => globName(library, inner, of)),
    /** Names in the sentence of a declaration that are variables there: a pattern's, too, of which Coq lists nothing where it is used. */
    boundAt(name: string, isAsked: (word: string) => boolean): Set<string> {
      const one = places.get(name);
      const sentence = one === undefined || hasParts ? undefined : sentenceAt(sentences, one.at);
      if (sentence === undefined) return new Set();
      const bare = withoutCoqComments(text.slice(sentence.start, sentence.end)).replaceAll(/"[^"]*"/g, (string) =>
        " ".repeat(string.length),
      );
      const whole = Buffer.from(bare, "latin1").toString("utf8");
      const isBound = (at: number): boolean => !listed.has(sentence.start + Buffer.byteLength(whole.slice(0, at)));
      // A scope, the name of an argument, and a small letter, which is a variable everywhere, name nothing.
      const isName = (word: string, at: number): boolean =>
        !/^\p{Ll}$|^%/u.test(`${whole[at - 1] === "%" ? "%" : ""}${word}`) &&
        !/^\s*:=/.test(whole[at - 1] === "(" ? whole.slice(at + word.length) : "");
      const asked = [...whole.matchAll(NAMES)].filter(({ 0: word, index }) => isAsked(word) && isName(word, index));
      return new Set(asked.flatMap(({ 0: word, index }) => (isBound(index) ? [word] : [])));
    },
    /** The text after `:=` where a notation is made. */
    standsFor({ kind, at }: GlobDeclaration): string {
      const sentence = kind === "not" || kind === "abbrev" ? sentenceAt(sentences, at) : undefined;
      const whole = sentence === undefined ? "" : textOf(sentence.start, sentence.end);
      return fold(/:=([^]*?)\.?$/.exec(whole)?.[1]?.replace(/\s*\((?:at level|only|format|left|right|no )[^]*$|\s*:\s*\w+\s*$/, "") ?? "");
    },
  };
}

/** libraryOf gives the longest of these modules that a full name is of; empty where it is of none. */
export function libraryOf(full: string, opened: { has(module: string): boolean }): string {
  for (let at = full.lastIndexOf("."); at > 0; at = full.lastIndexOf(".", at - 1))
    if (opened.has(full.slice(0, at))) return full.slice(0, at);
  return "";
}

/** literalsOf gives the words of a notation that has no place for anything else: `:::'P'_'='_'NP'`. */
function literalsOf(key: string): string[] | null {
  const parts = key.slice(key.lastIndexOf(":", key.indexOf("'")) + 1).split("_");
  return parts.every((part) => /^'.+'$/.test(part)) ? parts.map((part) => part.slice(1, -1)) : null;
}

const LATIN = /\p{Script=Latin}/u;
const DISGUISED = /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const LIKE_LATIN = /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυκρϲϳ]/u;
/** A letter of Greek alone is usual. */
const ALL_LIKE_LATIN = /^[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυκρϲϳ\d_']{2,}$/u;

/** isDisguised holds of a name with letters that look like Latin ones, or that another form of the same letter would be. */
export function isDisguised(name: string): boolean {
  const isLikeLatin = LATIN.test(name) ? LIKE_LATIN.test(name) : ALL_LIKE_LATIN.test(name);
  return DISGUISED.test(name) || isLikeLatin || /[\u{FF00}-\u{FFEF}\u{1D400}-\u{1D7FF}]/u.test(name);
}

function spell(name: string): string {
  return [...name]
    .filter((letter) => !/[\p{ASCII}]/u.test(letter))
    .map((letter) => `${letter} is U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`)
    .join(", ");
}
