/** Finds what got weaker, so that nothing does so in silence: a record or claim whose status fell, whose evidence stopped holding, or that
 *  vanished is a regression; evidence that does not hold now is drift; what a checker with a known hole alone accepted is recalled. The configuration
 *  says whether a build refuses any of them. */
import { ShelfError } from "#snapshots/errors";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import {
  ACCEPTED,
  changedStatement,
  claimFell,
  compareNames,
  isLost,
  nameSome,
  openEvidence,
  recallReason,
  recordFell,
  relateClaims,
  type ViewData,
} from "#snapshots/format";
import type { Claim, CubRecord, EvidenceState, Withdrawal } from "#snapshots/schema";
import type { Config } from "#generator/config";
import type { Decision, Decisions } from "#generator/kept";
import type { RegistryRead } from "#generator/sources";

export type Weaker = {
  /** "withdrawals" is always refused. */
  readonly gate: "regressions" | "drift" | "recall" | "statements" | "counts" | "withdrawals";
  readonly what: "record" | "claim" | "object" | "registry";
  readonly id: string;
  readonly reason: string;
  /** Digests of what is pinned and of what is there, where that is not part of the reason: other bytes are another thing to accept. */
  readonly bytes?: string | undefined;
  /** Why it is meant, as the record itself says: somebody accepted it where its statement is kept. */
  readonly meant?: string | undefined;
};

/** Accepted lists what somebody says is meant: id → why. */
export type Accepted = ReadonlyMap<string, string>;

/** findWeaker finds what got weaker or does not hold.
 *  @param before what is served now, with everything in it; null when nothing is
 *  @param findings of the registry, which say what files a record's digests do not fit
 *  @returns by kind and id, regressions before what lasts */
export function findWeaker(before: ViewData | null, after: ViewData, findings: RegistryRead["findings"] = []): readonly Weaker[] {
  const found: Weaker[] = [];
  const [old, now] = [before === null ? new Map<string, Pinned>() : pinnedIn(before), pinnedIn(after)];
  const claims = relateClaims(after);
  for (const [name, one] of now) {
    const resting = one.what === "claim" ? "" : (claims.get(one.id) ?? []).map(({ id }) => `; claim ${id} rests on it`).join("");
    const add = (gate: Weaker["gate"], reason: string, meant?: string): void =>
      void found.push({ gate, what: one.what, id: one.id, reason: reason + resting, meant });
    const was = old.get(name);
    const recalled = one.record === undefined ? null : recallReason(one.record);
    if (was !== undefined) {
      const moved = was.record === undefined || one.record === undefined ? [] : changedStatement(was.record, one.record);
      for (const reason of was.fell(one))
        if (reason !== recalled) add("regressions", reason, moved.includes(reason) ? one.record?.drift?.accepted : undefined);
      for (const [place, state] of one.evidence)
        if (isLost(state) && was.evidence.get(place) === "holds") add("regressions", `${place}: ${WORDS[state]}, and held before`);
      for (const place of unpinnedNow(was, one)) add("regressions", `${place}: it is not pinned any more, and held before`);
    }
    if (recalled !== null) found.push({ gate: "recall", what: one.what, id: one.id, reason: recalled });
    for (const [place, state] of one.evidence)
      if (isLost(state))
        found.push({ gate: "drift", what: one.what, id: one.id, reason: `${place}: ${WORDS[state]}`, bytes: one.bytes(place, findings) });
  }
  const withdrawn = new Set(after.withdrawn?.map(({ what, name }) => `${what} ${name}`));
  for (const [name, { what, id }] of old)
    if (!now.has(name) && !withdrawn.has(name)) found.push({ gate: "regressions", what, id, reason: "it is gone" });
  const order = ({ gate, what, id }: Weaker): string => `${LASTING.has(gate) ? 1 : 0} ${what} ${id}`;
  return found.sort((a, b) => compareNames(order(a), order(b)));
}

/** unpinnedNow lists what held and is not pinned any more. A record's file that moved is pinned at its new place, one for one of its kind. */
function unpinnedNow(was: Pinned, now: Pinned): readonly string[] {
  const endingOf = (place: string): string => /\.\w+"$/.exec(place)?.[0] ?? "";
  const moved =
    now.record === undefined
      ? []
      : [...now.evidence].flatMap(([place, state]) => (state === "holds" && !was.evidence.has(place) ? [endingOf(place)] : []));
  return [...was.evidence].flatMap(([place, state]) => {
    if (state !== "holds" || now.evidence.has(place)) return [];
    const at = moved.indexOf(endingOf(place));
    if (at >= 0) moved.splice(at, 1);
    return at >= 0 ? [] : [place];
  });
}

/** findWrong finds what the registry itself gets wrong now: statements that are not those of the files, and counts. The build tells both whatever
 *  the gates say. */
export function findWrong({ findings, counts }: Pick<RegistryRead, "findings" | "counts">): readonly Weaker[] {
  return [
    ...findings.flatMap(({ record, field, what }): readonly Weaker[] =>
      record === null || (field !== "statement" && field !== "verification_state")
        ? []
        : [{ gate: "statements", what: "record", id: record, reason: `its ${field} ${what}` }],
    ),
    ...counts
      .filter(({ declared, counted }) => declared !== counted)
      .map(({ name, declared, counted }): Weaker => {
        return { gate: "counts", what: "registry", id: name, reason: `declared as ${declared}, and the records count ${counted}` };
      }),
  ];
}

const WORDS: Readonly<Record<EvidenceState, string>> = {
  holds: "what is there has the pinned digest",
  differs: "what is there has another digest than is pinned",
  gone: "it is pinned, and is not there",
  unpinned: "no digest is pinned",
  unreachable: "it could not be looked at",
};

type Pinned = {
  readonly what: "record" | "claim";
  readonly id: string;
  /** Place → state of what is pinned there. */
  readonly evidence: ReadonlyMap<string, EvidenceState>;
  bytes(place: string, findings: RegistryRead["findings"]): string;
  /** Why another state of the same thing is weaker than this one, not counting evidence. */
  fell(now: Pinned): readonly string[];
  readonly record?: CubRecord;
  readonly claim?: Claim;
};

const placeOf = ({ path, url, artifact }: Claim["evidence"][number]): string => JSON.stringify(path ?? url ?? artifact);

function pinnedIn(data: ViewData): ReadonlyMap<string, Pinned> {
  const stateOf = openEvidence(data);
  const there = new Map(data.objects.map(({ key, sha256: digest }) => [key, digest]));
  const records = data.cubs.map((record): Pinned => {
    const files = data.code.get(record.id)?.files ?? [];
    return {
      what: "record",
      id: record.id,
      record,
      evidence: new Map(files.map((file) => [JSON.stringify(file.path), file.state])),
      bytes: (place, findings) =>
        canonicalJson([
          files.find(({ path }) => JSON.stringify(path) === place)?.sha256 ?? "",
          findings.filter((one) => one.record === record.id && one.what.startsWith(`pins ${place}`)).map(({ what }) => what),
        ]),
      fell: (now) => (now.record === undefined ? [] : recordFell(record, now.record)),
    };
  });
  const claims = data.claims.claims.map(
    (claim): Pinned => ({
      what: "claim",
      id: claim.id,
      claim,
      evidence: new Map(claim.evidence.map((item) => [placeOf(item), stateOf(item)])),
      bytes: (place) => {
        const pinned = claim.evidence.filter((item) => placeOf(item) === place);
        return canonicalJson(pinned.map(({ path, sha256: digest = "" }) => [digest, there.get(path ?? "") ?? ""]));
      },
      fell: (now) => (now.claim === undefined ? [] : claimFell(claim, now.claim)),
    }),
  );
  return new Map([...records, ...claims].map((one) => [`${one.what} ${one.id}`, one]));
}

/** findTakenBack finds withdrawals that stand in the file no more. Taking one back has to be said, since a file that was emptied by mistake would
 *  bring back what the law forbids.
 *  @param standing what was withdrawn so far, as `<what> <name>` */
export function findTakenBack(standing: ReadonlySet<string>, now: readonly Withdrawal[]): readonly Weaker[] {
  const gone = standing.difference(new Set(now.map(({ what, name }) => `${what} ${name}`)));
  return [...gone].map((about) => {
    const [what, id] = [about.slice(0, about.indexOf(" ")), about.slice(about.indexOf(" ") + 1)];
    return { gate: "withdrawals", what: what as Withdrawal["what"], id, reason: "its withdrawal stands in the file no more" };
  });
}

/** Gates through which what goes on was let for as long as it does. */
const LASTING: ReadonlySet<Weaker["gate"]> = new Set(["drift", "recall", "statements", "counts"]);
/** Told by the build in other words. */
const TOLD: ReadonlySet<Weaker["gate"]> = new Set(["statements", "counts"]);

export type Passed = {
  /** Decisions for the builds to come, on what was let through and goes on. */
  readonly accepted: readonly Omit<Decision, "kind">[];
  /** Why something was let through, for the record of the snapshot. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Said to who builds. */
  readonly notes: readonly string[];
};

/** passGates holds a build against the gates.
 *  @param accepted by whoever builds
 *  @param earlier what the builds before accepted: the very same is let through for as long as it lasts
 *  @throws ShelfError "gate_refused" naming each thing with its reason */
export function passGates(
  weaker: readonly Weaker[],
  gates: Omit<Config["gates"], "repeats">,
  accepted: Accepted,
  earlier: Pick<Decisions, "why">,
): Passed {
  const whys = new Map(weaker.map((one) => [one, accepted.get(one.id) ?? (LASTING.has(one.gate) ? whyEarlier(one, earlier) : null)]));
  const isAccepted = (one: Weaker): boolean => typeof whys.get(one) === "string";
  const refused = weaker.filter(
    (one) => (one.gate === "withdrawals" || gates[one.gate] === "refuse") && one.meant === undefined && !isAccepted(one),
  );
  const ofNothing = [...accepted.keys()]
    .filter((id) => !weaker.some((one) => one.id === id))
    .map((id) => `--accept ${JSON.stringify(id)}: nothing of this name got weaker or is wrong, so there was nothing to accept.`);
  if (refused.length > 0) {
    const ids = [...new Set(refused.map(({ id }) => id))];
    const told = [...lines(refused), ...ofNothing].join("\n");
    throw new ShelfError("gate_refused", `Nothing was published, because something got weaker or is wrong:\n${told}`, {
      fixes: [
        "Mend it. What was published before is served on.",
        `Or say that it is meant, and why: proofshelf build ${ids.map((id) => `--accept ${JSON.stringify(id)}`).join(" ")} --reason "…"`,
      ],
    });
  }
  const passed = weaker.flatMap((one) => {
    const why = whys.get(one);
    return typeof why === "string" ? [{ one, why }] : [];
  });
  return {
    accepted: passed.flatMap(({ one, why }) => (LASTING.has(one.gate) ? [{ about: aboutOf(one), sha256: digestOf(one), why }] : [])),
    inputs: Object.fromEntries(passed.map(({ one, why }) => [`${ACCEPTED}${one.id}`, why])),
    notes: [...lines(weaker.filter((one) => !TOLD.has(one.gate) && !isAccepted(one))), ...ofNothing],
  };
}

function whyEarlier(one: Weaker, earlier: Pick<Decisions, "why">): string | null {
  return earlier.why("accepted", aboutOf(one), digestOf(one));
}

function aboutOf({ gate, what, id }: Weaker): string {
  return `${gate} ${what} ${id}`;
}

function digestOf({ gate, what, id, reason, bytes = "" }: Weaker): Sha256 {
  return sha256(canonicalJson([gate, what, id, reason, bytes]));
}

const MAX_INPUTS_BYTES = 20_000; // of the 65,535 that an entry of the log takes, in each view

/** fitting keeps the reasons that an entry of the log has room for. Of more, it has the number and a digest. */
export function fitting(inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Buffer.byteLength(canonicalJson(inputs)) <= MAX_INPUTS_BYTES) return inputs;
  const names = Object.keys(inputs).sort(compareNames);
  let room = MAX_INPUTS_BYTES;
  const told = names.filter((name) => (room -= Buffer.byteLength(canonicalJson([name, inputs[name] ?? ""]))) > 0);
  const rest = `${names.length - told.length} more, of which the list has the SHA-256 ${sha256(canonicalJson(inputs))}`;
  return { ...Object.fromEntries(told.map((name) => [name, inputs[name] ?? ""])), [ACCEPTED.trim()]: rest };
}

/** Things of one kind that are each told in a line. */
const MAX_ALIKE = 3;
/** A file's name opens what is said of it. */
const QUOTED = /^"(?:[^"\\]|\\.)*"/;

function lines(weaker: readonly Weaker[]): readonly string[] {
  const words = {
    drift: "Drift",
    recall: "Recalled",
    regressions: "Got weaker",
    statements: "Another statement",
    counts: "Wrong count",
    withdrawals: "Taken back",
  };
  // One cause, such as a commit that nobody has rechecked, moves many.
  const kindOf = ({ gate, what, reason, meant }: Weaker): string => [gate, what, reason.replace(QUOTED, ""), meant].join(" ");
  return [...Map.groupBy(weaker, kindOf).values()].flatMap((those) =>
    (those.length > MAX_ALIKE ? those.slice(0, 1) : those).map(({ gate, what, id, reason, meant }) => {
      const who =
        those.length > MAX_ALIKE
          ? `${those.length} ${what}s (${nameSome(
              those.map((one) => one.id),
              MAX_ALIKE,
            )})`
          : `${what} ${id}`;
      const others = those.some((one) => one.reason !== reason) ? " and others" : "";
      return `${words[gate]}: ${who}, ${reason.replace(QUOTED, `$&${others}`)}${meant === undefined ? "" : `, and that is meant: ${JSON.stringify(meant)}`}.`;
    }),
  );
}
