/** The dated states of a record or a claim over the snapshots, as HTML for its page. */
import { LRUCache } from "lru-cache";
import { ACCEPTED, changedStatement, pagePath, recordStanding, relativeHref, USE_WORDS, wordsOf, countOf } from "#snapshots/format";
import type { OpenSnapshot } from "#snapshots/query";
import type { Claim, CubRecord } from "#snapshots/schema";
import { type SnapshotRecord, unreadable } from "#snapshots/shelf";
import { escapeXml } from "#snapshots/page";

/** Number of the newest changes that are shown; those before are in /api/changes. */
const SHOWN = 12;

type Kind = "records" | "claims";
type Item = { readonly [Name in (typeof STATES)[number]]?: string } & { readonly record?: CubRecord };

/** By digest of the claims' file: what a page of every claim would read again. */
const statusesByDigest = new LRUCache<string, ReadonlyMap<string, Claim>>({ max: 16 });

/** stateHistory lists the states of a record or claim over time.
 *  @param path of the page, to which links are relative
 *  @returns "" when the history does not say */
export async function stateHistory(open: OpenSnapshot, path: string, kind: Kind, name: string): Promise<string> {
  const seen = await open.firstSeen(kind, name);
  if (seen === null) return "";
  const { byId } = await open.snapshot.shelf.records.index();
  const shown = seen.all.slice(-SHOWN);
  const rows: string[] = [];
  let before: Item | null = null;
  for (const record of shown) {
    const item = byId.has(record.snapshot) ? await readItem(open, record, kind, name).catch(unreadable) : null;
    rows.push(rowOf(path, name, record, before, item));
    before = item ?? before;
  }
  const older = seen.all.length - shown.length;
  const more = older === 0 ? "" : `<p class="quiet">${countOf(older, "earlier change is", "earlier changes are")} not shown.</p>`;
  const revisions = kind === "claims" || seen.all.length < 2 ? "" : `<p>${revisionsLink(path, seen.all.length)}</p>`;
  return `<h2 id="states">States over time</h2>${revisions}${more}<dl class="pairs">${rows.reverse().join("")}</dl>`;
}

/** revisionsLink links to the revisions of a thing. @param path of the thing's own page */
export function revisionsLink(path: string, count: number): string {
  return `<a href="${relativeHref(path, pagePath.revisions(path))}">${count} revisions</a>`;
}

const STATES = ["standing", "invocation", "production_consumption"] as const;
const TITLES: Readonly<Record<(typeof STATES)[number], string>> = {
  standing: "standing",
  invocation: "called",
  production_consumption: "in production",
};

function rowOf(path: string, name: string, record: SnapshotRecord, before: Item | null, item: Item | null): string {
  const when = `<a href="${relativeHref(path, pagePath.snapshots)}"><time datetime="${record.created}">${record.created.slice(0, 10)}</time></a>`;
  const reason = record.inputs[`${ACCEPTED}${name}`];
  const accepted = reason === undefined ? "" : `; accepted by the operator: ${escapeXml(reason)}`;
  return `<dt>${when}</dt><dd dir="auto">snapshot ${record.sequence}: ${escapeXml(describeState(before, item))}${accepted}</dd>`;
}

/** describeState says what moved since the snapshot before. Values are those of the registry, which strangers write. */
export function describeState(before: Item | null, item: Item | null): string {
  if (item === null) return "changed; that snapshot cannot be read here";
  const states = STATES.flatMap((name) => {
    const [was, is] = [plainWords(before?.[name]), plainWords(item[name])];
    if (was === is) return [];
    return before === null || was === "" ? [`${TITLES[name]}: ${is}`] : [`${TITLES[name]}: ${was} → ${is === "" ? "nothing" : is}`];
  });
  const all = [...states, ...(before?.record === undefined || item.record === undefined ? [] : causesOf(before.record, item.record))];
  return all.length > 0 ? all.join("; ") : "nothing of its state changed, but something else of it";
}

/** causesOf says what else of a record moved that a reader asks for: its statement first, then where it was read. */
function causesOf(was: CubRecord, is: CubRecord): readonly string[] {
  const changed = changedStatement(was, is);
  if (changed.length > 0) return changed;
  if (was.statement !== is.statement) {
    const isSame = wordsOf(was.statement).join(" ") === wordsOf(is.statement).join(" ") || is.drift?.cause === "wording";
    return [isSame ? "its statement is written otherwise, and says the same" : "its statement has other words"];
  }
  if (was.anchor?.path !== is.anchor?.path) return ["it stands in another file"];
  return was.revision === is.revision ? [] : ["it was read at another revision, and states the same"];
}

/** Registries write constants: "TEST-ONLY" is said as "test only". */
function plainWords(value = ""): string {
  if (Object.hasOwn(USE_WORDS, value)) return USE_WORDS[value] ?? value;
  return /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*$/.test(value) ? value.toLowerCase().replaceAll(/[_-]/g, " ") : value;
}

async function readItem(open: OpenSnapshot, record: SnapshotRecord, kind: Kind, name: string): Promise<Item | null> {
  const snapshot = await open.snapshot.another(record);
  const entry = await snapshot.find(kind === "records" ? `api/cubs/${name}.json` : "api/claims.json");
  if (entry?.kind !== "blob") return null;
  const parse = async () => JSON.parse(new TextDecoder().decode(await snapshot.read(entry))) as unknown;
  if (kind === "records") {
    const record = (await parse()) as CubRecord;
    return { ...record, standing: recordStanding(record).says, record };
  }
  let claims = statusesByDigest.get(entry.sha256);
  if (claims === undefined) {
    claims = new Map(((await parse()) as { claims: readonly Claim[] }).claims.map((claim) => [claim.id, claim]));
    statusesByDigest.set(entry.sha256, claims);
  }
  const claim = claims.get(name);
  return claim === undefined ? null : { standing: claim.standing?.says ?? claim.status };
}
