/** A text as a page shows it: every line with an anchor, `#L12`. */
import { objectPath, pagePath, relativeHref } from "#snapshots/format";
import { MAX_SHOWN, MAX_SHOWN_LINES, type SourceText } from "./body.ts";
import type { Lines } from "#snapshots/blocks";
import { escapeHtml, highlightLines } from "#snapshots/highlight";
import { readSymbols } from "./isabelle-symbols.ts";

/** formatCode makes the fragment of a text, of at most MAX_SHOWN units of it. @param language one that loadLanguage was called with, or null */
export function formatCode(source: SourceText, language: string | null): string {
  const { text, lines } = source;
  if (lines.count === 0) return `<p class="empty">This file is empty.</p>`;
  let shown = lines.count;
  let end = lines.end(lines.count);
  if (end > MAX_SHOWN || lines.count > MAX_SHOWN_LINES) {
    shown = Math.min(MAX_SHOWN_LINES, Math.max(1, lines.lineAt(MAX_SHOWN) - 1));
    end = Math.min(lines.end(shown), MAX_SHOWN);
  }
  // A parser of HTML reads "\r" as one more line break.
  const head = text
    .slice(text.startsWith("\ufeff") ? 1 : 0, end)
    .replaceAll("\r\n", "\n")
    .replace(/\r$/, "")
    .replaceAll("\r", " ");
  const shownText = language === "isabelle" ? readSymbols(head) : head;
  let html = `<pre class="code"><code>`;
  let line = 0;
  for (const content of highlightLines(shownText, language)) {
    line++;
    html += `<span class="line" id="L${line}">${content}</span>\n`;
  }
  html += "</code></pre>";
  return end < lines.end(lines.count) ? `${html}\n${formatCut(source.key, shown, lines.count)}` : html;
}

export function formatCut(key: string, shown: number, count: number): string {
  const href = escapeHtml(relativeHref(pagePath.object(key), objectPath(key)));
  return `<p class="cut">Shown up to line ${shown} of ${count}; <a href="${href}">the whole file</a>.</p>`;
}

/** findCut finds the last line to show of a long document: before a blank line when there is one not far above the limit. */
export function findCut(lines: Lines): number {
  const last = Math.max(1, lines.lineAt(MAX_SHOWN) - 1);
  for (let line = last; line > Math.max(1, last - 200); line--) if (lines.isBlank(line)) return line;
  return last;
}
