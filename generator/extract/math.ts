/** TeX formulas to MathML, which browsers show without style or script. */
import katex from "katex";
import { escapeHtml } from "#snapshots/highlight";

const MAX_FORMULA = 4000; // UTF-16 units; a longer one is shown as source
/** Expansions of macros in one formula; macros can call one another without end. */
const MAX_EXPANSIONS = 500;

export function formatMath(tex: string, display: boolean): string {
  if (tex.length <= MAX_FORMULA) {
    try {
      const html = katex.renderToString(tex, {
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
    } catch {
      // Shown as source below.
    }
  }
  return formatTex(tex);
}

export function formatTex(tex: string): string {
  return `<code class="math-source">${escapeHtml(tex)}</code>`;
}
