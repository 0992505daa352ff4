/** Facts of the shelf's history that stored files cannot hold, because a snapshot knows nothing but itself: put in when
 *  a file is served or exported. The tokens are HTML comments, which no sanitised text of a stranger contains. */
import type { FirstSeen, OpenSnapshot } from "../query/open-snapshot.ts";
import { pagePath, parseSlug, relativeHref } from "../format/layout.ts";
import type { ChangeCounts, SnapshotRecord } from "../shelf/shelf.ts";
import { escapeXml } from "../page/text-files.ts";
import { leakReportBody } from "../query/bodies.ts";
import type { LeakReport } from "../schema/leak-summary.ts";
import { formatBytes } from "../format/size.ts";
import { newsHtml } from "./news.ts";
import { pastStates, revisionsLink } from "./past-states.ts";

const FIRST = "<!--stamp:first-->";
const STATES = "<!--stamp:states-->";
const LEAKS = "<!--stamp:leaks-->";
const CHANGES = "<!--stamp:changes-->";

/** @param path site path of the page; the links are made relative to it
 *  @returns the page with its stamps filled, or the same bytes when it has none */
export async function stampPage(open: OpenSnapshot, path: string, html: Uint8Array): Promise<Uint8Array> {
  const bytes = Buffer.from(html.buffer, html.byteOffset, html.length);
  if (path.startsWith("/object/")) {
    const key = parseSlug(decodeURIComponent(path.slice("/object/".length, -1)));
    if (key === null || !bytes.includes(FIRST)) return html;
    const seen = await open.firstSeen("objects", key);
    return replace(bytes, FIRST, seen === null ? "not known" : firstSeenHtml(path, seen));
  }
  if (bytes.includes(STATES)) {
    const item = await findItem(open, path);
    return replace(bytes, STATES, item === null ? "" : await pastStates(open, path, item.kind, item.name));
  }
  if (path === pagePath.rejected && bytes.includes(LEAKS)) return replace(bytes, LEAKS, leaksHtml(path, leakReportBody(open)));
  if (path === pagePath.front && bytes.includes(CHANGES)) {
    const { record, shelf } = open.snapshot;
    const counts = await shelf.records.counts(record.sequence);
    const { byId } = await shelf.records.index();
    const from = record.previous !== null && byId.has(record.previous) ? record.previous : null;
    return replace(bytes, CHANGES, counts === null ? "" : changesHtml(path, record, from, counts) + (await newsHtml(open, path)));
  }
  return html;
}

/** What a record's or a claim's page is of; null for another path. */
async function findItem(open: OpenSnapshot, path: string): Promise<{ readonly kind: "records" | "claims"; readonly name: string } | null> {
  const record = /^\/registry\/(CUB-[0-9]+)\/$/.exec(path)?.[1];
  if (record !== undefined) return { kind: "records", name: record };
  const { claims } = (await open.snapshot.data()).claims;
  const claim = claims.find(({ id }) => pagePath.claim(id) === path);
  return claim === undefined ? null : { kind: "claims", name: claim.id };
}

function replace(bytes: Buffer, token: string, html: string): Uint8Array {
  const at = bytes.indexOf(token);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(html), bytes.subarray(at + token.length)]);
}

function snapshotLink(path: string, record: SnapshotRecord): string {
  return `<a href="${relativeHref(path, pagePath.snapshots)}">snapshot ${record.sequence}</a> · <time datetime="${record.created}">${record.created.slice(0, 10)}</time>`;
}

function firstSeenHtml(path: string, { key, bytes, all }: FirstSeen): string {
  const first = snapshotLink(path, key);
  const since = key.sequence === bytes.sequence ? first : `${first}; these bytes since ${snapshotLink(path, bytes)}`;
  return all.length < 2 ? since : `${since}; ${revisionsLink(path, all.length)}`;
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
  const allowed =
    allowances === 0 ? "" : ` ${allowances === 1 ? "One exception is" : `${allowances} exceptions are`} allowed by the operator.`;
  return `<p>Every public file was looked through for what is gated or private, and nothing was found.${searched}${allowed} Rule ${escapeXml(rule)}; ${json}.</p>`;
}

/** @param from the snapshot before, where it is kept */
function changesHtml(path: string, record: SnapshotRecord, from: string | null, { added, changed, removed }: ChangeCounts): string {
  const words = [`${added} added`, `${changed} changed`, `${removed} removed`].join(", ");
  const target = from === null ? pagePath.snapshots : pagePath.diff(from, record.snapshot);
  return `<p>Snapshot ${record.sequence}, <time datetime="${record.created}">${record.created.slice(0, 10)}</time>: ${words} → <a href="${relativeHref(path, target)}">what changed</a></p>`;
}
