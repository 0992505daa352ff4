/** Words of scripts that write none apart: the dictionary of the machine cuts them. Another dictionary may cut elsewhere, as that of a browser
 *  of another year, so what is written in Han and Katakana is found by pairs of its characters too; and so is Korean, whose words have
 *  spaces between them and their particles have none. */

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
const HAN = /^\p{Script=Han}$/u;
const PAIRED = /^(?:\p{Script=Han}{2}|[\p{Script=Katakana}\u30fc]{2}|\p{Script=Hangul}{2})$/u;
/** One sound of Japanese, or two: what holds words together, and says nothing of any. */
const PARTICLE = /^\p{Script=Hiragana}{1,2}$/u;
/** Function words of Japanese, Chinese, Korean and Thai: they decide nothing. */
const STOP: ReadonlySet<string> = new Set(
  (
    "何 誰 どの どこ なに なぜ どう これら それら ください ます ました ません でした という される された されて として について ための できる " +
    "的 了 是 在 和 与 及 或 也 都 就 这 那 吗 呢 吧 有 个 这个 那个 什么 怎么 如何 哪些 哪个 為 為什麼 為何 什麼 怎麼 為了 為的 一个 一個 " +
    "무엇 무엇입니까 무엇인가요 무엇이란 어떻게 어떤 왜 어디 어디에 언제 누가 있습니까 있나요 합니까 하나요 됩니까 되나요 그리고 또는 " +
    "ที่ และ ใน ของ เป็น ได้ มี ไม่ ให้ คือ อะไร อย่างไร"
  ).split(" "),
);

const segmenter = /* @__PURE__ */ openSegmenter();

function openSegmenter(): Intl.Segmenter | null {
  // Browsers of before 2024 may have none.
  return typeof Intl.Segmenter === "function" ? new Intl.Segmenter("ja", { granularity: "word" }) : null;
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

export type WordSegment = { readonly start: number; readonly text: string };

/** segmentsOf returns the words of a run of letters, in order. */
export function segmentsOf(run: string): readonly WordSegment[] {
  if (segmenter === null) return [{ start: 0, text: run }];
  return Array.from(segmenter.segment(run), ({ index, segment }) => ({ start: index, text: segment }));
}

/** unspacedWords gives the words that a run is found by: each word that says something, each character of Han, and pairs.
 *  @param other gives the words of a segment in another script */
export function unspacedWords(run: string, other: (segment: string) => readonly string[]): string[] {
  const out: string[] = [];
  let before = "";
  for (const { text } of segmentsOf(run)) {
    if (!isUnspaced(text)) {
      out.push(...other(text));
      before = "";
      continue;
    }
    if (STOP.has(text) || PARTICLE.test(text)) {
      before = "";
      continue;
    }
    const characters = [...text];
    if (characters.length !== 2 || !PAIRED.test(text)) out.push(text);
    for (const character of characters) {
      if (HAN.test(character) && characters.length > 1) out.push(character);
      if (PAIRED.test(before + character)) out.push(before + character);
      before = character;
    }
  }
  return out;
}
