/** Tells whether the library has what a record or a claim pins. Nothing here says "failed" for a reason that is ours: what could not be looked at
 *  is unreachable. */
import type { ClaimEvidence, EvidenceState } from "#snapshots/schema";
import { lazily, relationsOf } from "./relations.ts";
import { BUTS } from "./standing.ts";
import type { ViewData } from "./view-data.ts";

/** Gravest first. */
const BY_GRAVITY: readonly EvidenceState[] = ["differs", "gone", "unreachable", "unpinned", "holds"];

/** recordState gives the state of a record: the gravest of the files that it pins, "unpinned" when it pins none. */
export function recordState(data: Pick<ViewData, "code">, id: string): EvidenceState {
  return worstOf((data.code.get(id)?.files ?? []).map(({ state }) => state).filter((state) => state !== "unpinned"));
}

/** worstOf returns the gravest of some states, "unpinned" when there are none. */
export function worstOf(states: readonly EvidenceState[]): EvidenceState {
  return BY_GRAVITY.find((state) => states.includes(state)) ?? "unpinned";
}

/** isLost tells whether it was looked at and is not what is pinned. */
export function isLost(state: EvidenceState): boolean {
  return BUTS[state]?.lost ?? false;
}

type StateOf = (item: Pick<ClaimEvidence, "sha256" | "repo" | "ref" | "path">) => EvidenceState;
const opened = new WeakMap<ViewData, StateOf>();

/** openEvidence returns a function that gives the state of an evidence item, against the objects and the records' files of its view. A path
 *  without a repository that is an object's key is that object */
export function openEvidence(data: ViewData): StateOf {
  const known = opened.get(data) ?? open(data);
  opened.set(data, known);
  return known;
}

function open(data: ViewData): StateOf {
  // Few libraries have claims that pin something, and a large one has many files.
  const pinned = lazily({
    held: () => new Set(filesOf(data).flatMap(({ state, digest }) => (isThere(state) ? [digest] : []))),
    byPlace: () => new Map(filesOf(data).map(({ place, state }) => [place, state])),
    sources: () =>
      new Set(data.objects.flatMap(({ source }) => (source === undefined ? [] : [placeOf(source.repo, source.ref, source.path)]))),
  });
  const related = relationsOf(data);
  return ({ sha256, repo, ref, path }) => {
    if (sha256 === undefined) return "unpinned";
    if (related.keysByDigest.has(sha256) || pinned.held.has(sha256)) return "holds";
    const place = placeOf(repo, ref, path);
    // The place is known, and holds something else.
    if (pinned.sources.has(place) || (path !== undefined && related.objectByKey.has(path)) || isThere(pinned.byPlace.get(place)))
      return "differs";
    return pinned.byPlace.get(place) ?? "unreachable";
  };
}

/** The store has the bytes that the index of a record's files names. */
function isThere(state: EvidenceState | undefined): boolean {
  return state === "holds" || state === "unpinned";
}

function placeOf(repo = "", ref = "", path = ""): string {
  return JSON.stringify([repo, ref, path]);
}

/** Files of records, each at its revision and, for who names none, the one that the registry has. */
function filesOf({ code }: ViewData): readonly { readonly place: string; readonly digest: string; readonly state: EvidenceState }[] {
  return [...code.values()].flatMap(({ repo, head, files }) =>
    files.flatMap((file) => [head, ""].map((ref) => ({ place: placeOf(repo, ref, file.path), digest: file.sha256, state: file.state }))),
  );
}
