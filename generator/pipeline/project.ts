/** Record set → two views. The only code that knows which collections are gated and which fields are private: after it,
 *  nothing has a visibility parameter. */
import type { Claim, ClaimEvidence, CubRecord, RecordMeaning, Rejection, Withdrawal } from "#snapshots/schema";
import {
  compareNames,
  findCollection,
  judgedClaim,
  type Library,
  type ObjectRow,
  openEvidence,
  recordStanding,
  recordState,
  type ViewData,
} from "#snapshots/format";
import { canonicalJson } from "#snapshots/digest";
import type { RecordSet } from "./record-set.ts";

export type Views = { readonly public: ViewData; readonly internal: ViewData };

export function project(set: RecordSet): Views {
  const isPublic = (key: string): boolean => findCollection(set.collections, key)?.visibility === "public";
  const library = (view: "public" | "internal"): Library => ({
    title: set.title,
    summary: set.description,
    view,
    base_url: set.baseUrl,
    registry_url: set.registryUrl,
    registry: set.registry,
    claims: set.claims.state,
    generator: set.generator,
    collections: set.collections.filter(({ visibility }) => view === "internal" || visibility === "public"),
    collection_counts: {
      public: set.collections.filter(({ visibility }) => visibility === "public").length,
      email_gated: set.collections.filter(({ visibility }) => visibility !== "public").length,
      ...(set.declared === null ? {} : { declared: set.declared }),
    },
    // A view that does not have the object does not have its name.
    ...(set.front !== null && set.objects.some(({ key }) => key === set.front) && (view === "internal" || isPublic(set.front))
      ? { front: set.front }
      : {}),
    ...(set.security === null ? {} : { security: set.security }),
    ...(set.report === null ? {} : { report: set.report }),
    ...(set.main.length === 0 ? {} : { main: set.main }),
    ...(set.pageImages === 0 ? {} : { page_images: set.pageImages }),
    notes: set.notes,
  });
  const licenceOf = openLicences(
    set.objects.filter((row) => isPublic(row.key)),
    set.recordLicense,
  );
  const listed = new Set(set.cubs.map(({ id }) => id));
  const cubs = [...set.cubs]
    .sort((a, b) => compareNames(a.id, b.id))
    .map((record) => {
      const evidence_state = recordState(set, record.id);
      return inOrder({
        ...withShownRecords(record, listed),
        evidence_state,
        standing: recordStanding({ ...record, evidence_state }),
        ...licenceOf(record),
      });
    });
  const shared = { cubs, meta: set.meta === null ? null : inOrder({ ...set.meta, standing_counts: countsOf(cubs) }), code: set.code };
  const objects = set.objects.map(({ extract: _, notes: __, about: ___, ...row }) => row);
  const isStray = ({ source, key }: Rejection): boolean => source === "store" && findCollection(set.collections, key) === null;
  const rejected = [...set.rejected].sort((a, b) => compareNames(a.source, b.source) || compareNames(a.key, b.key));
  const order = ({ what, name }: Withdrawal): string => `${what} ${name}`;
  const withdrawn = [...set.withdrawn].sort((a, b) => compareNames(order(a), order(b)));
  const notices = (isSeen: (one: Withdrawal) => boolean): Pick<ViewData, "withdrawn"> => {
    const told = withdrawn.filter(isSeen);
    return told.length === 0 ? {} : { withdrawn: inOrder(told) };
  };
  const shown: Views = {
    public: {
      ...shared,
      library: library("public"),
      objects: objects.filter((row) => isPublic(row.key)),
      claims: inOrder({ meta: set.claims.meta, claims: set.claims.claims.map((claim) => withEvidence(claim, ["public"])) }),
      rejected: rejected.filter((item) => item.source !== "store" || isPublic(item.key)),
      // A key under no collection has no declared visibility: its very name may be private, so it is only counted. What is
      // left out of a gated collection is not even counted: the public view does not tell that it exists.
      withheld: rejected.filter(isStray).length,
      ...notices(({ what, name }) => what !== "object" || isPublic(name)),
    },
    internal: {
      ...shared,
      library: library("internal"),
      objects,
      claims: inOrder({ meta: set.claims.meta, claims: set.claims.claims.map((claim) => withEvidence(claim, ["public", "email-gated"])) }),
      rejected,
      withheld: 0,
      ...notices(() => true),
    },
  };
  return { public: withStates(shown.public), internal: withStates(shown.internal) };
}

/** withShownRecords names no record that is not shown: as a use, as another proof, as what has to be read, or as a witness. They stay counted. */
function withShownRecords(record: CubRecord, shown: ReadonlySet<string>): CubRecord {
  const { uses, used_by, meaning, witness } = record;
  const isShown = ({ id }: { readonly id?: string }): boolean => id !== undefined && shown.has(id);
  const keep = <T extends typeof uses>(list: T): T => (list === undefined ? list : { ...list, edges: list.edges.filter(isShown) });
  return {
    ...record,
    ...(uses === undefined ? {} : { uses: keep(uses) }),
    ...(used_by === undefined ? {} : { used_by: keep(used_by) }),
    ...(meaning === undefined ? {} : { meaning: withShownParts(meaning, shown) }),
    ...(witness === undefined || isShown(witness)
      ? {}
      : { witness: { ...witness, name: "", state: "missing" as const, why: "no record has this id" } }),
  };
}

function withShownParts({ same, parts, ...meaning }: RecordMeaning, shown: ReadonlySet<string>): RecordMeaning {
  const others = (same ?? []).filter((id) => shown.has(id));
  return {
    ...meaning,
    parts: parts.filter(({ id }) => id === undefined || shown.has(id)),
    ...(others.length === 0 ? {} : { same: others }),
  };
}

function countsOf(cubs: readonly CubRecord[]): Readonly<Record<string, number>> {
  const states = Map.groupBy(cubs, (record) => recordStanding(record).state);
  return Object.fromEntries([...states].map(([state, records]) => [state, records.length]));
}

/** openLicences finds the licence of a record: the one that the registry states; else the one that its files state which are public objects, when
 *  they agree; else the one that the configuration states for all records. */
function openLicences(objects: readonly ObjectRow[], declared: string | null): (record: CubRecord) => { readonly license?: string } {
  // The same bytes may lie under several terms.
  const byDigest = Map.groupBy(objects, ({ sha256 }) => sha256);
  return ({ file_shas: digests, license: own }) => {
    if (own !== undefined) return { license: own };
    const stated = new Set(Object.values(digests).flatMap((digest) => (byDigest.get(digest) ?? []).flatMap(({ license = [] }) => license)));
    const [only = null] = stated;
    const license = stated.size === 1 ? only : declared;
    return license === null ? {} : { license };
  };
}

/** Evidence is held against what its own view has: what is gated may not show through. */
function withStates(view: ViewData): ViewData {
  const stateOf = openEvidence(view);
  const claims = view.claims.claims.map((claim) => ({
    ...claim,
    ...judgedClaim(view, claim),
    evidence: claim.evidence.map((item) => (isSeen(item, view) ? { ...item, state: stateOf(item) } : item)),
  }));
  return { ...view, claims: inOrder({ ...view.claims, claims }) };
}

function isSeen({ access }: ClaimEvidence, { library }: ViewData): boolean {
  return access === "public" || (access === "email-gated" && library.view === "internal");
}

/** inOrder gives the same value as it is read out of a snapshot, its members in their order there, so that a page comes out the same
 *  whether it is made from what was read or from what was stored. What is parsed takes a tenth of the memory of what is put together
 *  member by member. */
function inOrder<T>(value: T): T {
  return JSON.parse(canonicalJson(value)) as T;
}

/** Evidence that this view may not see keeps its name, kind and access, and that it names no digest: that it exists is part of the claim, where it
 *  lies is not. */
function withEvidence(claim: Claim, seen: readonly ClaimEvidence["access"][]): Claim {
  return {
    ...claim,
    evidence: claim.evidence.map(({ state: _, ...item }) => {
      const { artifact, kind, access, sha256: digest } = item;
      return seen.includes(access) ? item : { artifact, kind, access, ...(digest === undefined ? { state: "unpinned" as const } : {}) };
    }),
  };
}
