/** TeX formulas to MathML, which browsers show without style or script. */
import katex from "katex";
import { escapeHtml } from "#snapshots/highlight";

const MAX_FORMULA = 4000; // UTF-16 units; a longer one is shown as source
/** Expansions of macros in one formula; macros can call one another without end. */
const MAX_EXPANSIONS = 500;
const MAX_UNKNOWN = 10; // commands of one formula that KaTeX does not know

/** formatMath makes MathML of a formula. A command that KaTeX does not know is shown by its name, and a formula that it cannot read as source. */
export function formatMath(tex: string, display: boolean): string {
  let written = tex;
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
      // KaTeX draws boxes and bold by inline style, which our pages forbid.
      return html.replaceAll(/ style="[^"<>]*"/g, "");
    } catch (error) {
      const [, name] = /Undefined control sequence: \\([A-Za-z]+)/.exec(String(error)) ?? [];
      if (name === undefined) break;
      written = written.replaceAll(new RegExp(`\\\\${name}(?![A-Za-z])`, "g"), `\\operatorname{${name}}`);
    }
  }
  return formatTex(tex);
}

export function formatTex(tex: string): string {
  return `<code class="math-source">${escapeHtml(tex)}</code>`;
}
