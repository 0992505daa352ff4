/** The answer about the search for leaks. */
import { formatBytes, relativeHref } from "#snapshots/format";
import { escapeXml } from "#snapshots/page";
import { type OpenSnapshot, parsed } from "#snapshots/query";
import { LEAK_INPUT, type LeakReport, LeakSummary } from "./summary.ts";
import type { LEAK_ROWS } from "./rows.ts";
import { type Handler, queryAnswer, type PageStamp } from "#snapshots/http";

export const LEAK_HANDLERS = {
  "leak-report": { read: (asked) => queryAnswer(asked, () => parsed("leak-report", null, [], async (open) => leakReportBody(open))) },
} as const satisfies Readonly<Record<keyof typeof LEAK_ROWS, Handler>>;

export const LEAK_STAMPS: readonly PageStamp[] = [
  { token: "<!--stamp:leaks-->", pages: ["rejected-page"], html: (open, path) => leaksHtml(path, leakReportBody(open)) },
];

function leakReportBody({ snapshot: { record } }: OpenSnapshot): LeakReport {
  const { sequence, snapshot, inputs } = record;
  const text = inputs[LEAK_INPUT];
  return { sequence, snapshot, check: text === undefined ? null : LeakSummary.parse(JSON.parse(text)) };
}

function leaksHtml(path: string, { check }: LeakReport): string {
  const json = `<a href="${relativeHref(path, "/api/leak-report.json")}">as JSON</a>`;
  if (check === null) return `<p>The record of this snapshot says nothing of it; ${json}.</p>`;
  const { allowances, details, rule } = check;
  const count = (number: number, what: string): string => `${number.toLocaleString("en")} ${what}`;
  const searched =
    details === undefined
      ? ""
      : ` That was ${[count(details.keys, "keys"), count(details.titles, "titles"), count(details.digests, "digests"), count(details.texts, "runs of words"), count(details.private_values, "private values")].join(", ")}, in ${count(details.files, details.since === null ? "public files" : "public files that had changed")} (${formatBytes(details.bytes)}).`;
  const repeated = details?.said_by_public_sources ?? 0;
  const said = repeated === 0 ? "" : ` Said by public sources: ${repeated} gated keys, digests, titles or passages.`;
  const allowed =
    allowances === 0 ? "" : ` ${allowances === 1 ? "One exception is" : `${allowances} exceptions are`} allowed by the operator.`;
  return `<p>Every public file was looked through for what is gated or private, and nothing was found.${searched}${said}${allowed} Rule ${escapeXml(rule)}; ${json}.</p>`;
}
