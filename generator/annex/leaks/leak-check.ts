/** Before publication: nothing gated or private may be in a public byte. A finding stops the build, and the snapshot
 *  served before stays. The index is checked by `verify`: it holds the rows of the public view and nothing else. */
import picomatch from "picomatch";
import { canonicalJson, type Sha256 } from "../../../snapshots/digest.ts";
import {
  type Allowance,
  findLeaks,
  type GatedSecrets,
  gatedSecrets,
  LEAK_INPUT,
  LEAK_RULE,
  type LeakReport,
  type LeakSummary,
  type SecretKind,
  type SharedPassages,
  snapshotFiles,
} from "../../../snapshots/annex/leaks/index.ts";
import { createTreeCache, openSnapshot } from "../../../snapshots/shelf/read.ts";
import type { Extract } from "../../../snapshots/schema/index.ts";
import type { Shelf } from "../../../snapshots/shelf/index.ts";
import type { Config } from "../../config/config.ts";
import type { Views } from "../../build/project.ts";
import type { Site } from "../../publish/parts.ts";
import type { BlobEntry } from "../../../snapshots/format/tree.ts";
import { filesSince } from "./snapshot-files.ts";
import { LeakError } from "./leak-error.ts";
import { openRereader } from "./reread.ts";

type LeakRules = Config["leaks"];

/** For the records of both views: nothing gated shows through the public one's, not even how much there is. */
export type LeakInputs = Readonly<Record<"public" | "internal", Readonly<Record<string, string>>>>;

/** Pairs of objects that a note names. */
const MAX_NAMED = 20;

/** @param unchangedSince the served public snapshot, when it was clean of the same secrets
 *  @returns notes for who runs the build, and what goes into the record of the snapshot
 *  @throws LeakError naming what was found where */
export async function checkLeaks(options: {
  readonly views: Views;
  readonly shelf: Shelf;
  /** Of the public view. */
  readonly draft: Sha256;
  readonly extract: (key: string) => Promise<Extract>;
  readonly privateTexts: readonly string[];
  readonly rules: LeakRules;
  readonly site: Pick<Site, "pool" | "software">;
  readonly unchangedSince: string | null;
}): Promise<{ readonly notes: readonly string[]; readonly inputs: LeakInputs }> {
  const { views, shelf, draft, rules, site } = options;
  const record = { sequence: 1, snapshot: draft, created: "", previous: null, inputs: {} };
  const snapshot = await openSnapshot(shelf, record, createTreeCache());
  const gatedKeys = new Set(views.internal.objects.map(({ key }) => key));
  const extract = async (key: string): Promise<Extract | null> => (gatedKeys.has(key) ? options.extract(key) : null);
  const reader = openRereader(snapshot, views.public, site.pool);
  // What one look has heard of public objects holds for the next.
  const secrets = await gatedSecrets(views.public, views.internal, extract, options.privateTexts);
  /** @param since what is made of other objects has been looked through in that snapshot
   *  @param sources whether all public objects are heard, and not only those that have changed */
  const scan = async (
    since: string | null,
    sources: boolean,
  ): Promise<LeakReport & { readonly wanted: ReturnType<typeof countSecrets> }> => {
    const changed = secrets.empty ? new Map<string, BlobEntry>() : new Map(await filesSince(snapshot, since));
    if (sources && since !== null && !secrets.empty)
      for (const [path, entry] of await filesSince(snapshot, null)) if (/^(?:objects|extracts)\//.test(path)) changed.set(path, entry);
    const files = async function* () {
      yield* site.software();
      yield* snapshotFiles(snapshot, views.public, changed);
    };
    return { ...(await findLeaks(secrets, files(), { ...reader, allow: openAllowances(rules) })), wanted: countSecrets(secrets) };
  };
  const isLeaking = ({ leaks }: LeakReport): boolean => leaks.some(({ severity }) => severity === "error");
  try {
    // Which allowances are used, only a look at everything can tell.
    const since = rules.allow.length === 0 ? options.unchangedSince : null;
    let report = await scan(since, false);
    // Words that an unchanged public source says itself are no leak: only a look at all sources can tell.
    if (since !== null && isLeaking(report)) report = await scan(since, true);
    if (isLeaking(report)) throw new LeakError(report.leaks.filter(({ severity }) => severity === "error"));
    const summary: LeakSummary = { rule: LEAK_RULE, found: 0, allowances: rules.allow.length };
    const detailed: LeakSummary = { ...summary, details: { ...report.wanted, ...report.looked, since } };
    return {
      notes: [...tellShared(report.shared), ...tellUnused(rules, report)],
      inputs: { public: { [LEAK_INPUT]: canonicalJson(summary) }, internal: { [LEAK_INPUT]: canonicalJson(detailed) } },
    };
  } finally {
    await reader.close();
  }
}

function countSecrets({ secrets, text }: GatedSecrets) {
  const of = (kind: SecretKind): number => secrets.filter((secret) => secret.kind === kind).length;
  return { keys: of("key"), digests: of("digest"), titles: of("title"), private_values: of("private"), texts: text.size };
}

/** A name may hold what a pattern takes for a sign. */
export function openAllowances({ allow }: LeakRules): readonly Allowance[] {
  return allow.map(({ public: place, text = null, gated = null }) => {
    const matches = picomatch(place, { dot: true, flags: "s" });
    return { covers: (name) => name === place || matches(name), text, gated };
  });
}

function tellUnused({ allow }: LeakRules, { allowed }: LeakReport): readonly string[] {
  return allow.flatMap(({ public: place }, n) =>
    allowed[n] === true ? [] : [`leaks.allow[${n}] (${JSON.stringify(place)}) allows nothing that is there any more: take it out.`],
  );
}

function tellShared(shared: readonly SharedPassages[]): readonly string[] {
  if (shared.length === 0) return [];
  const at = (key: string, line: number | null): string => `${JSON.stringify(key)}${line === null ? "" : ` line ${line}`}`;
  const named = shared
    .slice(0, MAX_NAMED)
    .map(({ words, public: open, gated }) => `${at(open.key, open.line)} and ${at(gated.key, gated.line)} (${words} words)`);
  if (shared.length > named.length) named.push(`and ${shared.length - named.length} more`);
  return [
    `Long passages stand in a public object and in a gated one, and are public by the first: ${named.join("; ")}. Where that was not meant, take them out of the public object or gate it.`,
  ];
}
