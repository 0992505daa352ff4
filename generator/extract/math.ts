/** TeX formulas to MathML, which browsers show without style or script. */
import katex from "katex";
import { escapeHtml } from "#snapshots/highlight";

const MAX_FORMULA = 4000; // UTF-16 units; a longer one is shown as source
/** Expansions of macros in one formula; macros can call one another without end. */
const MAX_EXPANSIONS = 500;
const MAX_UNKNOWN = 10; // commands of one formula that KaTeX does not know

/** formatMath makes MathML of a formula. A command that KaTeX does not know is shown by its name, and a formula that it cannot read as source. */
export function formatMath(tex: string, display: boolean): string {
  let written = tex.replaceAll(/\\label\s*\{[^{}]{0,200}\}\s*/g, "");
  for (let unknown = 0; written.length <= MAX_FORMULA && unknown <= MAX_UNKNOWN; unknown++) {
    try {
      const html = katex.renderToString(written, {
        output: "mathml",
        displayMode: display,
        throwOnError: true,
        trust: false,
        strict: "ignore",
        errorColor: "currentcolor",
        maxExpand: MAX_EXPANSIONS,
      });
      // KaTeX draws boxes and bold by inline style, which our pages forbid, and marks what it refuses by a colour that MathML has not.
      return (
        html
          .replaceAll(/ style="[^"<>]*"| mathcolor="currentcolor"/g, "")
          .replaceAll(/<(m[ion]) mathvariant="([a-z-]+)">([A-Za-z])<\/\1>/g, (whole, name: string, variant: string, letter: string) => {
            const sign = signOf(variant, letter);
            return sign === null ? whole : `<${name} mathvariant="normal">${sign}</${name}>`;
          })
          // A sign is text: KaTeX makes one of the letters of "mod", and of a sign with something above it.
          .replaceAll(/<mo([^<>]*)>((?:<\/?(?:mrow|m[in])(?: [^<>]*)?>|[^<>])*)<\/mo>/g, (_, said: string, inner: string) => {
            return `<mo${said}>${inner.replaceAll(/<[^>]*>/g, "")}</mo>`;
          })
          .replaceAll(/<m[ion](?: [^<>]*)?>(?=<)/g, "<mrow>")
          .replaceAll(/(?<=>)<\/m[ion]>/g, "</mrow>")
      );
    } catch (error) {
      const [, name] = /Undefined control sequence: \\([A-Za-z]+)/.exec(String(error)) ?? [];
      if (name === undefined) break;
      written = written.replaceAll(new RegExp(`\\\\${name}(?![A-Za-z])`, "g"), `\\operatorname{${name}}`);
    }
  }
  return formatTex(tex);
}

/** Faces of letters, by where their letters begin; browsers know them as signs of their own, and no more by an attribute. */
const FACES: Readonly<Record<string, number>> = {
  bold: 0x1d400,
  script: 0x1d49c,
  fraktur: 0x1d504,
  "double-struck": 0x1d538,
  "sans-serif": 0x1d5a0,
  monospace: 0x1d670,
};
/** Letters that were signs before the others of their face. */
const OLDER = new Map(
  Array.from("ℂℍℕℙℚℝℤℬℰℱℋℐℒℳℛℯℊℴℭℌℑℜℨ", (sign, at) => ["CHNPQRZBEFHILMRegoCHIRZ".charAt(at) + (at < 7 ? "d" : at < 18 ? "s" : "f"), sign]),
);

function signOf(variant: string, letter: string): string | null {
  const first = FACES[variant];
  if (first === undefined) return null;
  const older = OLDER.get(letter + variant.charAt(0));
  const at = letter.charCodeAt(0) - (letter < "a" ? 65 : 71);
  return variant === "sans-serif" ? String.fromCodePoint(first + at) : (older ?? String.fromCodePoint(first + at));
}

export function formatTex(tex: string): string {
  return `<code class="math-source">${escapeHtml(tex)}</code>`;
}
