/** Sums up what a build did. */
import { ShelfError } from "#snapshots/errors";
import type { ReindexSummary, Rejection } from "#snapshots/schema";
import { countChanges } from "#snapshots/shelf";
import { leadingPrefixes, openSite, type ViewData } from "#snapshots/format";
import type { Config } from "#generator/config";
import type { KnownObject, SaidOfObjects } from "#generator/kept";
import type { Shelves } from "#generator/shelves";
import { describeUnknownClaims, explainLost, type RegistryFinding } from "#generator/sources";
import type { BuildFacts, Looked } from "./facts.ts";
import type { Made, WithdrawnSnapshot } from "./made.ts";
import type { ReadingPlan } from "./plan.ts";
import { refusals } from "./record-set.ts";

/** BuildSummary is the body of POST /api/reindex, with what else an operator asks. */
export type BuildSummary = Readonly<Omit<ReindexSummary, "rejected">> & {
  readonly rejected: readonly Rejection[];
  /** False when nothing changed: the snapshot served before is served on. */
  readonly published: boolean;
  /** Numbers of the things that this build had to read, render and index. */
  readonly work: { readonly read: number; readonly rendered: number; readonly indexed: number };
  /** Objects that are served but could not be read in full, with what was wrong. */
  readonly unreadable: readonly { readonly key: string; readonly notes: readonly string[] }[];
  /** Links and images within the library that lead nowhere: the key of the object that they stand in, and the key or prefix that they lead to. */
  readonly dead_links: SaidOfObjects["deadLinks"];
  readonly notes: readonly string[];
  /** True when a gate refused the registry, so that its last good copy is served. */
  readonly refused: boolean;
  /** Mistakes in the registry's records. */
  readonly registry: readonly RegistryFinding[];
  /** Public snapshots that were taken out of service, because they held what is gated now. */
  readonly withdrawn: readonly WithdrawnSnapshot[];
  readonly internal: { readonly snapshot: string; readonly sequence: number; readonly published: boolean };
};

/** Outcome is the summary without what the clock says. */
export type Outcome = Omit<BuildSummary, "started" | "finished" | "duration_ms">;

/** Objects that a note names, and finds in one of them. */
const MAX_SUSPICIONS = 20;
/** Links that a note names: one folder taken out of a larger one has hundreds that lead out of it. */
const MAX_DEAD_LINKS = 5;

/** summarise sums up a build that had something to do. @param notes of the steps */
export async function summarise(made: Made, shelves: Shelves, notes: readonly string[]): Promise<Outcome> {
  const { facts, reading, plan, read, said, views, written, changes } = made;
  const after = { public: await shelves.public.readPointer(), internal: await shelves.internal.readPointer() };
  if (after.public === null || after.internal === null) throw new ShelfError("build_failed", "The pointer is gone after publication.");
  const counts = changes === null ? { added: 0, changed: 0, removed: 0 } : countChanges(changes);
  const total = views.public.objects.length + views.public.claims.claims.length + views.public.cubs.length;
  return {
    previous: facts.pointers.public?.snapshot ?? null,
    snapshot: after.public.snapshot,
    sequence: after.public.sequence,
    published: changes !== null,
    ...counts,
    unchanged: total - counts.added - counts.changed,
    rejected: refusals(facts, read.refused),
    work: {
      read: reading.read.filter(({ known }) => known === undefined).length,
      rendered: written.rendered,
      indexed: plan.documents.public.upsert.size + plan.documents.internal.upsert.size,
    },
    unreadable: said.unreadable,
    dead_links: said.deadLinks,
    refused: facts.registry.refused === true,
    registry: facts.registry.findings,
    notes: [
      ...notesOf(facts),
      ...noteNowhere(views.internal),
      ...indexNotes(facts, reading),
      ...said.notes,
      ...noteDeadLinks(facts.config, said),
      ...notes,
    ],
    withdrawn: made.removal.withdrawn,
    internal: {
      snapshot: after.internal.snapshot,
      sequence: after.internal.sequence,
      published: after.internal.snapshot !== facts.pointers.internal?.snapshot,
    },
  };
}

/** unchanged sums up a build that had nothing to do. */
export function unchanged(facts: Looked): Outcome {
  const { said } = facts.state;
  const { public: shown, internal } = facts.pointers;
  if (shown === null || internal === null) throw new ShelfError("internal", "Nothing has changed since a build that published nothing.");
  return {
    previous: shown.snapshot,
    snapshot: shown.snapshot,
    sequence: shown.sequence,
    published: false,
    added: 0,
    changed: 0,
    removed: 0,
    unchanged: said.objects,
    rejected: refusals(facts, []),
    work: { read: 0, rendered: 0, indexed: 0 },
    unreadable: said.unreadable,
    dead_links: said.deadLinks,
    refused: facts.registry.refused === true,
    registry: facts.registry.findings,
    notes: [...notesOf(facts), ...said.notes, ...noteDeadLinks(facts.config, said)],
    withdrawn: [],
    internal: { snapshot: internal.snapshot, sequence: internal.sequence, published: false },
  };
}

function notesOf({ config, registry, claims, setbacks, withdrawals, listed }: BuildFacts | Looked): readonly string[] {
  const { front, security } = config;
  return [
    ...(front === null || listed.rows.some(({ key }) => key === front)
      ? []
      : [`The front page has no text: no object has the key ${JSON.stringify(front)} that the configuration names as front.`]),
    ...(security === null || Date.parse(security.expires) > Date.now()
      ? []
      : [`What security.txt says has expired (${security.expires}); write a later time as security.expires in the configuration.`]),
    ...(listed.why === null ? [] : [`The whole store was listed and not only the keys that were named: ${listed.why}.`]),
    ...withdrawals.notes,
    ...registry.notes,
    ...claims.notes,
    ...describeUnknownClaims(claims.unknownFields),
    ...setbacks.map((setback) => `${setback} This build has published what the sources hold now.`),
  ];
}

/** noteNowhere tells of evidence that pins nothing and leads nowhere. Of what is pinned the gates tell. */
function noteNowhere({ claims, objects, cubs }: ViewData): readonly string[] {
  const [keys, records] = [new Set(objects.map(({ key }) => key)), new Set(cubs.map(({ id }) => id))];
  return claims.claims.flatMap(({ id, evidence }) =>
    evidence.flatMap(({ path, repo, url, sha256 }) => {
      const isHere = path !== undefined && repo === undefined && url === undefined && sha256 === undefined && !keys.has(path);
      const lost = isHere ? explainLost(path, keys, records) : null;
      return lost === null ? [] : [`The evidence of claim ${id} has a path that ${lost}.`.replace("?.", "?")];
    }),
  );
}

/** indexNotes tells of indexes that were not as they had been written. */
function indexNotes({ indexes }: BuildFacts, { anew }: ReadingPlan): readonly string[] {
  return (["public", "internal"] as const).flatMap((view) => {
    const { problem } = indexes[view];
    return problem === null || anew !== null ? [] : [`The search index of the ${view} view was made anew: ${problem}`];
  });
}

export function sayOf(objects: readonly KnownObject[]): SaidOfObjects {
  return {
    objects: objects.length,
    unreadable: objects.filter(({ notes }) => notes.length > 0).map(({ key, notes }) => ({ key, notes })),
    notes: suspicions(objects),
    deadLinks: findDeadLinks(objects),
  };
}

/** For the operator only: a page that says where a secret lies would lead others to it. */
function suspicions(objects: readonly KnownObject[]): readonly string[] {
  const found = objects.filter(({ secrets }) => secrets.length > 0);
  if (found.length === 0) return [];
  const named = found
    .slice(0, MAX_SUSPICIONS)
    .map(({ key, secrets }) => `${JSON.stringify(key)} (${secrets.slice(0, MAX_SUSPICIONS).join(", ")})`);
  if (found.length > named.length) named.push(`and ${found.length - named.length} more`);
  return [
    `These objects look as if they held keys, tokens or passwords, and are served: ${named.join("; ")}. Make those that are real worthless, and take the files out of the store or name them in store.exclude.`,
  ];
}

/** Links and images within the library that lead nowhere, in neither view. */
function findDeadLinks(objects: readonly KnownObject[]): SaidOfObjects["deadLinks"] {
  const keys = objects.map(({ key }) => key);
  const places = new Set(keys.flatMap((key) => [key, ...leadingPrefixes(key)]));
  const leadsTo = openSite(
    objects.map(({ key, about }) => ({ key, ...(about?.addresses === undefined ? {} : { addresses: about.addresses }) })),
  );
  const isDead = (key: string, target: string): boolean =>
    !places.has(target) && !places.has(`${target}/`) && leadsTo(key, target) === null;
  return objects.flatMap(({ key, links }) => links.filter((target) => isDead(key, target)).map((target) => ({ key, target })));
}

function noteDeadLinks({ links }: Config, { deadLinks }: SaidOfObjects): readonly string[] {
  if (deadLinks.length === 0 || links.dead === "ignore") return [];
  const named = deadLinks.slice(0, MAX_DEAD_LINKS).map(({ key, target }) => `${JSON.stringify(key)} to ${JSON.stringify(target)}`);
  if (deadLinks.length > named.length) named.push(`and ${deadLinks.length - named.length} more, which build --json lists`);
  return [`These links and images lead to nothing in the library, and are shown as text: ${named.join("; ")}.`];
}

/** noteFailure does work that follows publication and turns a failure into a note: the snapshot is served by then, so a full disk is worth a note
 *  and no more.
 *  @returns no note when all went well */
export async function noteFailure(
  work: () => Promise<readonly string[] | void>,
  note: (code: string) => string,
): Promise<readonly string[]> {
  try {
    return (await work()) ?? [];
  } catch (error) {
    return [note((error as NodeJS.ErrnoException).code ?? "unknown error")];
  }
}
