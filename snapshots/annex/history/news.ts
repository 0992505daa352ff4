/** News of what the newest publications made weaker, as HTML for the front page. */
import { cutText, pagePath, relationsOf, relativeHref, type ViewData } from "#snapshots/format";
import { escapeXml } from "#snapshots/page";
import type { OpenSnapshot } from "#snapshots/query";
import { describeListed, listChanges, type ChangedName, type SnapshotRecord, unreadable } from "#snapshots/shelf";

/** Publications that are looked at; many change nothing that has a name. */
const LOOKED_AT = 8;
const NAMED = 6;
/** Changed claims and records of a publication that are compared, to see whether one is weaker. */
const COMPARED = 40;

/** newsHtml lists the things that got weaker in the newest publications.
 *  @param path of the page, to which links are relative
 *  @returns "" when nothing of the newest publications is weaker, and for the first, of which everything is new */
export async function newsHtml(open: OpenSnapshot, path: string): Promise<string> {
  const { record, shelf } = open.snapshot;
  const data = await open.snapshot.data();
  const { records } = await shelf.records.index();
  // By number, since a rollback publishes a snapshot again.
  const bySequence = new Map(records.map((one) => [one.sequence, one]));
  const weaker: string[] = [];
  // A withdrawn thing is in no news: its page has the notice.
  const withdrawn = new Set(data.withdrawn?.map(({ what, name }) => `${what} ${name}`));
  const after = Math.max(1, record.sequence - LOOKED_AT);
  for (const [sequence, changes] of (await Array.fromAsync(shelf.records.changes(after, record.sequence))).reverse()) {
    const compared = listChanges(changes)
      .filter(({ what, change, name }) => what !== "object" && change === "changed" && !withdrawn.has(`${what} ${name}`))
      .slice(0, COMPARED);
    const published = bySequence.get(sequence);
    if (compared.length === 0 || published === undefined) continue;
    const day = `<time datetime="${published.created}">${published.created.slice(0, 10)}</time>`;
    for (const [one, why] of (await fallen(open, published, compared)).slice(0, NAMED - weaker.length))
      weaker.push(`<li class="warning">${day}, weaker: ${nameHtml(data, path, one)}: ${escapeXml(why)}</li>`);
    if (weaker.length >= NAMED) break;
  }
  return weaker.length === 0 ? "" : `<ul class="plain">${weaker.join("")}</ul>`;
}

/** Those that are weaker than before, and why. */
async function fallen(
  { snapshot }: OpenSnapshot,
  record: SnapshotRecord,
  listed: readonly ChangedName[],
): Promise<readonly (readonly [ChangedName, string])[]> {
  const { byId } = await snapshot.shelf.records.index();
  const previous = byId.get(record.previous ?? "");
  if (previous === undefined) return [];
  const found = await Promise.all([snapshot.another(previous), snapshot.another(record)]).catch(unreadable);
  if (found === null) return [];
  const changes = await Promise.all(listed.map(({ what, change, name }) => describeListed(found[0], found[1], what, change, name)));
  return changes.flatMap(({ weaker }, index) => {
    const one = listed[index];
    return weaker.length === 0 || one === undefined ? [] : [[one, weaker.join("; ")] as const];
  });
}

/** Names and titles are strangers' text. */
function nameHtml(data: ViewData, path: string, { what, name }: ChangedName): string {
  const { objectByKey, recordById, claimById } = relationsOf(data);
  const [title, target] =
    what === "object"
      ? [objectByKey.get(name)?.title, pagePath.object(name)]
      : what === "record"
        ? [recordById.get(name)?.theorem_name, pagePath.record(name)]
        : [claimById.get(name)?.title, pagePath.claim(name)];
  if (title === undefined) return `<bdi>${plain(name)}</bdi>`;
  return `<a href="${relativeHref(path, target)}"><bdi>${plain(title)}</bdi></a>`;
}

const MAX_NAME = 120; // characters

function plain(text: string): string {
  return escapeXml(cutText(text.replaceAll(/[\p{C}\s]+/gu, " ").trim(), MAX_NAME));
}
