/** Text that may stand in an answer. Answers are shown as text, but agents and pages that render Markdown read them too:
 *  a sentence that could become a link, an image or markup there is left out as a whole, never repaired. */

/** Addresses, Markdown links and images, HTML, mail addresses, and control characters that hide or reorder text. */
const HARMFUL = new RegExp(
  [
    String.raw`[a-z][a-z0-9+.-]*:\s*\/\/`,
    String.raw`(?:^|[^:\w]):?\/\/[\w[]`,
    String.raw`\bwww\.`,
    String.raw`\b(?:javascript|vbscript|data|mailto|file|tel)\s*:\s*\S`,
    String.raw`\]\s*[([:]`,
    String.raw`!\s*\[`,
    // Names of HTML, so that `Vec<u8>` in a sentence about code may stay.
    String.raw`<[!?]|<\/?\s*(?:a|abbr|audio|b|base|blink|body|br|button|details|dialog|div|em|embed|font|form|frame|h[1-6]|head|hr|html|i|iframe|img|input|ins|kbd|li|link|marquee|math|meta|noscript|object|ol|option|p|param|picture|pre|script|select|slot|source|span|strong|style|sub|summary|sup|svg|table|td|template|textarea|th|title|tr|u|ul|video)\b`,
    String.raw`&(?:#|[a-z]+;)`,
    String.raw`[^\s@]@[a-z0-9-]+\.[a-z]`,
    String.raw`\b[a-z0-9-]+\.(?:com|net|org|io|dev|info|xyz|ru|cn|example|invalid)\b`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]`,
  ].join("|"),
  "iu",
);

export function isHarmless(text: string): boolean {
  return text.isWellFormed() && !HARMFUL.test(text);
}

/** A name that a reader's program could take for an address, without `http` or `www`: `evil.shop`, `203.0.113.7`. Names of files and
 *  modules look the same. */
const BARE_ADDRESS =
  /(?<![\p{L}\p{N}_])(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+(?:\p{L}[\p{L}\p{M}]+|xn--[a-z0-9-]+)(?![\p{L}\p{N}_])|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/giu;

/** bareAddresses finds the addresses in a text. @returns in one spelling: small letters, plain dots */
export function bareAddresses(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .replaceAll(/[\u3002\uff61]/g, ".")
      .toLowerCase()
      .match(BARE_ADDRESS) ?? []
  );
}
