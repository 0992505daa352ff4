/** The parts of a text that let a proof use a hole of its checker: words, and recursive definitions of Coq that are not plain. It errs on one side: what is
 *  doubtful is a suspect. */
import { readSentences } from "#generator/extract";
import type { Advisory } from "./advisories.ts";
import { hasOddModule } from "./modules.ts";

type Suspects = NonNullable<Advisory["suspects"]>;

/** Words that begin or make a recursive definition. */
const RECURSION = /\b(?:Fixpoint|CoFixpoint|Function|Equations|fix|cofix)\b/;
const IMPORT = /^\s*(?:From|Require|Import|Export)\b/;
const FIXPOINT = /^\s*(?:#\[[^\]]*\]\s*)?(?:Local\s+|Global\s+)?Fixpoint\b/;
/** A term that calls itself by a name: after the name a binder, not the number that a tactic has. */
const ONE_FIX = /\bfix\s+([\p{L}_][\p{L}\p{N}_']*)\s*(?=[({\p{L}_])[^;.]*?:=/u;
/** A theorem by mutual recursion: `Lemma a : … with b : …`. */
const MUTUAL = /^\s*(?:Theorem|Lemma|Fact|Remark|Corollary|Proposition|Property)\b[^]*\swith\s+[\w']+\b[^:]*:(?!=)/;
const STRING = /"(?:[^"]|"")*"/g;

/** openSuspects tells what a text has of what an advisory names. @param isCoq comments and strings of Coq are not looked at */
export function openSuspects(text: string, isCoq: boolean): (suspects: Suspects) => boolean {
  const sentences = isCoq
    ? [...readSentences(text)].filter(({ comment }) => !comment).map(({ start, end }) => withoutComments(text.slice(start, end)))
    : [text];
  let recursion: boolean | undefined;
  return ({ words = [], recursion: asked, modules }) => {
    if (asked === true && (recursion ??= sentences.some(isUnusual))) return true;
    if (modules === true && hasOddModule(sentences)) return true;
    return words.some((word) => sentences.some((sentence) => hasWord(sentence, word)));
  };
}

function withoutComments(sentence: string): string {
  return sentence.replaceAll(STRING, '""').replaceAll(/\(\*[^]*?\*\)/g, " ");
}

function hasWord(text: string, word: string): boolean {
  const part = word.startsWith("-") ? /[\p{L}\p{N}_'-]/u : /[\p{L}\p{N}_']/u;
  const isPart = (sign: string | undefined): boolean => sign !== undefined && part.test(sign);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return true;
  return false;
}

/** isUnusual tells whether a sentence of Coq makes a recursive definition that is not plain. A plain one is written out, has no other in it and
 *  names nothing inside, and its calls of itself have no call, choice, match or function among their arguments. */
function isUnusual(sentence: string): boolean {
  if (IMPORT.test(sentence) || !(RECURSION.test(sentence) || MUTUAL.test(sentence))) return false;
  if (MUTUAL.test(sentence)) return true;
  const begin = sentence.indexOf(":=");
  if (FIXPOINT.test(sentence)) {
    const named = [...sentence.matchAll(/\b(?:Fixpoint|with)\s+([\p{L}_][\p{L}\p{N}_']*)(?=(?:(?!=>)[^])*?:=)/gu)];
    return (
      begin < 0 ||
      isOddBody(
        sentence.slice(begin),
        named.map(([, name]) => name ?? ""),
      )
    );
  }
  const one = ONE_FIX.exec(sentence);
  const isSeveral = [...sentence.matchAll(/\b(?:Fixpoint|CoFixpoint|Function|Equations|fix|cofix)\b/g)].length > 1;
  return one === null || isSeveral || isOddBody(sentence.slice(one.index + one[0].length), [one[1] ?? ""]);
}

function isOddBody(body: string, names: readonly string[]): boolean {
  if (/\b(?:fix|cofix|ltac)\b|\blet\s+[\p{L}_]/u.test(body)) return true;
  const isOdd = (call: string): boolean => /\b(?:match|if|fun|let)\b|λ/.test(call) || names.some((name) => hasWord(call, name));
  return names.some((name) => callsOf(body, name).some(({ isArgument, call }) => isArgument || isOdd(call)));
}

/** Words before a name that is called: after any other it is handed to somebody who calls it. */
const BEFORE_CALL = /(?:^|[^\p{L}\p{N}_')]|(?<![\p{L}\p{N}_'])(?:then|else|in|with|match|return|as))$/u;

/** callsOf gives each place where a name stands: whether it is an argument there, and what stands behind it, as far as its parenthesis or branch goes. */
function callsOf(text: string, name: string): { isArgument: boolean; call: string }[] {
  const calls: { isArgument: boolean; call: string }[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!hasWord(text.slice(Math.max(0, at - 1), at + name.length + 1), name)) continue;
    let [end, depth] = [at + name.length, 0];
    for (; end < text.length; end++) {
      const sign = text[end] ?? "";
      if (sign === "(") depth++;
      else if (sign === ")" && --depth < 0) break;
      else if (depth === 0 && /[|+*=<>,;:&/-]|\b(?:end|with|then|else|in)\b/.test(wordAt(text, end))) break;
    }
    calls.push({ isArgument: !BEFORE_CALL.test(text.slice(Math.max(0, at - 40), at).trimEnd()), call: text.slice(at + name.length, end) });
  }
  return calls;
}

/** wordAt gives the sign at a place, and the word where one begins there. */
function wordAt(text: string, at: number): string {
  return /[\p{L}\p{N}_']/u.test(text[at - 1] ?? "") ? "" : (/^(?:[\p{L}\p{N}_']{1,5}|[^])/u.exec(text.slice(at, at + 6))?.[0] ?? "");
}
