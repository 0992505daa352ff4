/** Whether what a record or a claim pins is what the library has. Nothing here says "failed" for a reason that is ours: what could not be
 *  looked at is unreachable. */
import type { ClaimEvidence } from "../schema/claims.ts";
import type { CubCodeFile } from "../schema/cubs.ts";
import type { EvidenceState } from "../schema/scalar.ts";
import { lazily, oncePer, relationsOf } from "./relations.ts";
import type { ViewData } from "./view-data.ts";

/** Of a file that a record pins. Snapshots of earlier versions say only whether the store has it. */
export function fileState({ state, available, size }: Pick<CubCodeFile, "state" | "available" | "size">): EvidenceState {
  return state ?? (available ? "holds" : size === null ? "gone" : "differs");
}

/** Gravest first. */
const BY_GRAVITY: readonly EvidenceState[] = ["differs", "gone", "unreachable", "unpinned", "holds"];

/** Of a record: the gravest of its files', "unpinned" when it pins none. */
export function recordState(data: Pick<ViewData, "code">, id: string): EvidenceState {
  const states = new Set((data.code.get(id)?.files ?? []).map(fileState));
  return BY_GRAVITY.find((state) => states.has(state)) ?? "unpinned";
}

/** Whether it was looked at and is not what is pinned. */
export function isLost(state: EvidenceState): boolean {
  return state === "differs" || state === "gone";
}

type StateOf = (item: Pick<ClaimEvidence, "sha256" | "repo" | "ref" | "path">) => EvidenceState;
const opened = new WeakMap<ViewData, StateOf>();

/** @returns the state of an evidence item, against the objects and the records' files of its view. A path without a repository that is an
 *  object's key is that object */
export function openEvidence(data: ViewData): StateOf {
  const known = opened.get(data) ?? open(data);
  opened.set(data, known);
  return known;
}

function open(data: ViewData): StateOf {
  // Few libraries have claims that pin something, and a large one has many files.
  const pinned = lazily({
    held: () => new Set(filesOf(data).flatMap(({ state, digest }) => (state === "holds" ? [digest] : []))),
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
    if (pinned.sources.has(place) || (path !== undefined && related.objectByKey.has(path)) || pinned.byPlace.get(place) === "holds")
      return "differs";
    return pinned.byPlace.get(place) ?? "unreachable";
  };
}

function placeOf(repo = "", ref = "", path = ""): string {
  return JSON.stringify([repo, ref, path]);
}

/** Files of records, each at its revision and, for who names none, the one that the registry has. */
function filesOf({ code }: ViewData): readonly { readonly place: string; readonly digest: string; readonly state: EvidenceState }[] {
  return [...code.values()].flatMap(({ repo, head, files }) =>
    files.flatMap((file) =>
      [head, ""].map((ref) => ({ place: placeOf(repo, ref, file.path), digest: file.sha256, state: fileState(file) })),
    ),
  );
}

/** Ids of records and claims with something pinned that does not hold: records first, each in the order of the view. */
export const findLost = oncePer((data: ViewData): readonly string[] => {
  const stateOf = openEvidence(data);
  const records = [...data.code.values()].filter(({ files }) => files.some((file) => isLost(fileState(file))));
  const claims = data.claims.claims.filter(({ evidence }) => evidence.some((item) => isLost(stateOf(item))));
  return [...records, ...claims].map(({ id }) => id);
});
