/** Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980): what SQLite's FTS5 and the reference BM25
 *  figures use, so that both sides of an evaluation see the same stems. English; other words mostly pass unchanged. */

const DOUBLE = /([^aeioulsz])\1$/; // a doubled consonant, not l, s or z

/** Suffix → replacement for steps 2, 3 and 4; the longest suffix wins, and only its own condition counts. */
const STEP_2: ReadonlyMap<string, string> = new Map([
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
]);
const STEP_3: ReadonlyMap<string, string> = new Map([
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
]);
const STEP_4: ReadonlyMap<string, string> = new Map(
  [
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
  ].map((suffix) => [suffix, ""]),
);
const LONGEST_SUFFIX = 7;

function isConsonant(word: string, at: number): boolean {
  const letter = word[at] ?? "";
  if ("aeiou".includes(letter)) return false;
  return letter !== "y" || at === 0 || !isConsonant(word, at - 1);
}

/** Number of vowel runs followed by a consonant run: Porter's m. */
function measure(stem: string): number {
  let m = 0;
  let vowelBefore = false;
  for (let at = 0; at < stem.length; at++) {
    const consonant = isConsonant(stem, at);
    if (consonant && vowelBefore) m++;
    vowelBefore = !consonant;
  }
  return m;
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (!isConsonant(stem, at)) return true;
  return false;
}

/** Ends consonant, vowel, consonant, the last not w, x or y. */
function endsShort(stem: string): boolean {
  const end = stem.length - 1;
  if (end < 2) return false;
  return isConsonant(stem, end) && !isConsonant(stem, end - 1) && isConsonant(stem, end - 2) && !"wxy".includes(stem[end] ?? "");
}

function replaceSuffix(word: string, table: ReadonlyMap<string, string>, atLeast: number): string {
  for (let length = Math.min(LONGEST_SUFFIX, word.length - 1); length >= 2; length--) {
    const suffix = word.slice(-length);
    const replacement = table.get(suffix);
    if (replacement === undefined) continue;
    const stem = word.slice(0, -length);
    if (measure(stem) <= atLeast) return word;
    if (suffix === "ion" && !/[st]$/.test(stem)) return word;
    return stem + replacement;
  }
  return word;
}

/** The stem of one lowercase word; anything but the letters a to z comes back as it is. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let w = word;
  // 1a
  if (w.endsWith("sses") || w.endsWith("ies")) w = w.slice(0, -2);
  else if (w.endsWith("s") && !w.endsWith("ss")) w = w.slice(0, -1);
  // 1b
  if (w.endsWith("eed")) {
    if (measure(w.slice(0, -3)) > 0) w = w.slice(0, -1);
  } else {
    const cut = w.endsWith("ed") ? 2 : w.endsWith("ing") ? 3 : 0;
    if (cut > 0 && hasVowel(w.slice(0, -cut))) {
      w = w.slice(0, -cut);
      if (/(?:at|bl|iz)$/.test(w)) w += "e";
      else if (DOUBLE.test(w)) w = w.slice(0, -1);
      else if (measure(w) === 1 && endsShort(w)) w += "e";
    }
  }
  // 1c
  if (w.endsWith("y") && hasVowel(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = replaceSuffix(w, STEP_2, 0);
  w = replaceSuffix(w, STEP_3, 0);
  w = replaceSuffix(w, STEP_4, 1);
  // 5
  if (w.endsWith("e")) {
    const m = measure(w.slice(0, -1));
    if (m > 1 || (m === 1 && !endsShort(w.slice(0, -1)))) w = w.slice(0, -1);
  }
  if (w.endsWith("ll") && measure(w) > 1) w = w.slice(0, -1);
  return w;
}
