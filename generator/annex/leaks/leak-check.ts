/** Before publication: nothing gated or private may be in a public byte. A finding stops the build, and the snapshot
 *  served before stays. The index is checked by `verify`: it holds the rows of the public view and nothing else. */
import picomatch from "picomatch";
import { canonicalJson, type Sha256 } from "#snapshots/digest";
import {
  type Allowance,
  areSuspect,
  findGatedFacts,
  findLeaks,
  type GatedFacts,
  type GatedSecrets,
  gatedSecrets,
  LEAK_INPUT,
  LEAK_RULE,
  type LeakFindings,
  type LeakSummary,
  rememberLook,
  resume,
  type Leak,
  type SecretKind,
  Sketch,
  snapshotFiles,
} from "#snapshots/annex/leaks";
import { createTreeCache, openSnapshot, type Shelf } from "#snapshots/shelf";
import { type BlobEntry, type ObjectRow, relationsOf, type ViewData } from "#snapshots/format";
import type { Extracts } from "#snapshots/page";
import type { Extract } from "#snapshots/schema";
import type { Config } from "#generator/config";
import type { Views } from "#generator/pipeline";
import { digestOfItem } from "#generator/index";
import type { Site } from "#generator/publish";
import { type KeptLook, nameFacts } from "./kept-look.ts";
import { filesSince } from "./snapshot-files.ts";
import { LeakError } from "./leak-error.ts";
import { openRereader } from "./reread.ts";

type LeakRules = Config["leaks"];

/** LeakInputs go into the records of both views: nothing gated shows through the public one's, not even how much there is. */
export type LeakInputs = Readonly<Record<"public" | "internal", Readonly<Record<string, string>>>>;

/** Repetitions that a note names. */
const MAX_NAMED = 20;
const MAX_TOLD = 80; // characters of a title or a value that a note repeats

/** checkLeaks looks for gated things in the public view.
 *  @param kept of the last look, when the public snapshot that it was about is the one that this build is made upon
 *  @returns notes for who runs the build, what goes into the record of the snapshot, and what the next look begins with
 *  @throws LeakError naming what was found where */
export async function checkLeaks(options: {
  readonly views: Views;
  readonly shelf: Shelf;
  /** Tree of the public view. */
  readonly draft: Sha256;
  /** Extracts of the internal view. */
  readonly extracts: Pick<Extracts, "digest" | "read">;
  readonly privateTexts: readonly string[];
  readonly rules: LeakRules;
  /** Says if a build is refused for what public sources repeat, or tells it. */
  readonly repeats: Config["gates"]["repeats"];
  readonly site: Pick<Site, "pool" | "software">;
  readonly kept: KeptLook | null;
}): Promise<{ readonly notes: readonly string[]; readonly inputs: LeakInputs; readonly look: KeptLook | null }> {
  const { views, shelf, draft, rules, site, kept } = options;
  const record = { sequence: 1, snapshot: draft, created: "", previous: null, inputs: {} };
  const snapshot = await openSnapshot(shelf, record, createTreeCache());
  const gatedKeys = new Set(views.internal.objects.map(({ key }) => key));
  const extract = async (key: string): Promise<Extract | null> => (gatedKeys.has(key) ? options.extracts.read(key) : null);
  const reader = openRereader(snapshot, views.public, site.pool);
  const facts = openFacts(options.extracts, kept);
  // The secrets keep what one look has heard of public objects, for the next one.
  const secrets = await gatedSecrets(views.public, views.internal, extract, options.privateTexts, facts.of);
  const witness = openWitnesses(views.public);
  /** @param since what is made of other objects has been looked through in that snapshot
   *  @param sources whether all public objects are heard, and not only those that have changed */
  const scan = async (
    since: string | null,
    sources: boolean,
    sketch: Sketch,
  ): Promise<LeakFindings & { readonly wanted: ReturnType<typeof countSecrets> }> => {
    const changed = secrets.empty ? new Map<string, BlobEntry>() : new Map(await filesSince(snapshot, since));
    if (sources && since !== null && !secrets.empty)
      for (const [path, entry] of await filesSince(snapshot, null)) if (/^(?:objects|extracts)\//.test(path)) changed.set(path, entry);
    const files = async function* () {
      yield* site.software();
      yield* snapshotFiles(snapshot, views.public, changed);
    };
    const report = await findLeaks(secrets, files(), { ...reader, witness, sketch, allow: openAllowances(rules) });
    return { ...report, wanted: countSecrets(secrets) };
  };
  const isLeaking = ({ leaks }: LeakFindings): boolean => leaks.some(({ severity }) => severity === "error");
  try {
    // Only a look at everything can tell which allowances are used.
    let since = kept !== null && rules.allow.length === 0 && options.repeats !== "refuse" ? kept.snapshot : null;
    let sketch = new Sketch(since === null ? undefined : kept?.sketch);
    const isThere = (said: string): boolean => witness(said.slice(0, said.indexOf("\0"))) === said;
    const suspects = since === null || kept === null ? null : resume(secrets, kept.look, { fresh: facts.fresh, isThere, sketch });
    const isSuspect = (): boolean => suspects !== null && areSuspect(secrets, suspects);
    let report = await scan(since, false, sketch);
    // Words that an unchanged public source says itself are no leak: only a look at all sources can tell.
    if (since !== null && (isLeaking(report) || isSuspect())) report = await scan(since, true, sketch);
    // Secrets that no public source says may stand in any file: a look at everything says where, or that it was a false suspicion.
    if (since !== null && isSuspect()) {
      since = null;
      sketch = new Sketch();
      report = await scan(since, false, sketch);
    }
    if (isLeaking(report)) throw new LeakError(report.leaks.filter(({ severity }) => severity === "error"));
    const repeated = listRepeated(report, openAllowances(rules));
    if (options.repeats === "refuse" && repeated.length > 0) throw new LeakError(repeated, true);
    const summary: LeakSummary = { rule: LEAK_RULE, found: 0, allowances: rules.allow.length };
    const detailed: LeakSummary = {
      ...summary,
      details: { ...report.wanted, ...report.looked, said_by_public_sources: repeated.length, since },
    };
    const isWorthKeeping = !secrets.empty && !secrets.text.isSampled && rules.allow.length === 0;
    return {
      notes: [...tellRepeated(repeated), ...tellUnused(rules, report)],
      inputs: { public: { [LEAK_INPUT]: canonicalJson(summary) }, internal: { [LEAK_INPUT]: canonicalJson(detailed) } },
      look: isWorthKeeping ? { snapshot: draft, look: rememberLook(secrets), objects: facts.objects, sketch: sketch.bits } : null,
    };
  } finally {
    await reader.close();
  }
}

/** openFacts reads of gated objects what is not kept of them. */
function openFacts(extracts: Pick<Extracts, "digest" | "read">, kept: KeptLook | null) {
  const objects = new Map<Sha256, GatedFacts>();
  const fresh: Uint32Array[] = [];
  return {
    objects,
    /** Runs of those that were not kept. */
    fresh,
    async of(row: ObjectRow): Promise<GatedFacts> {
      const name = nameFacts(row, extracts.digest(row.key));
      const known = kept?.objects.get(name);
      const facts = known ?? findGatedFacts(row, await extracts.read(row.key));
      objects.set(name, facts);
      if (known === undefined) fresh.push(facts.runs);
      return facts;
    },
  };
}

/** openWitnesses names a public object, claim or record by its key or id, and the digests of all that are named so. */
function openWitnesses(data: ViewData): (keyOrId: string) => string | null {
  const { objectByKey, claimById, recordById } = relationsOf(data);
  return (name) => {
    const others = [claimById.get(name), recordById.get(name)].map((item) => item && digestOfItem(item).sha256);
    const digests = [objectByKey.get(name)?.sha256, ...others].filter((digest) => digest !== undefined);
    return digests.length === 0 ? null : [name, ...digests].join("\0");
  };
}

function countSecrets({ secrets, text }: GatedSecrets) {
  const of = (kind: SecretKind): number => secrets.filter((secret) => secret.kind === kind).length;
  return { keys: of("key"), digests: of("digest"), titles: of("title"), private_values: of("private"), texts: text.size };
}

/** openAllowances makes tests of the allowances in the configuration. A name may hold what a pattern takes for a sign, so that the equal name fits
 *  too. */
export function openAllowances({ allow }: LeakRules): readonly Allowance[] {
  return allow.map(({ public: place, text = null, gated = null }) => {
    const matches = picomatch(place, { dot: true, flags: "s" });
    return { covers: (name) => name === place || matches(name), text, gated };
  });
}

function tellUnused({ allow }: LeakRules, { allowed }: LeakFindings): readonly string[] {
  return allow.flatMap(({ public: place }, n) =>
    allowed[n] === true ? [] : [`leaks.allow[${n}] (${JSON.stringify(place)}) allows nothing that is there any more: take it out.`],
  );
}

/** listRepeated lists what public objects say of gated ones by their own word: no leak, and perhaps not meant.
 *  @param allowances what somebody has said is meant */
function listRepeated({ leaks, shared }: LeakFindings, allowances: readonly Allowance[]): readonly Leak[] {
  const passages = shared.map(({ words, public: open, gated }): Leak => {
    const place = { name: open.key, path: `objects/${open.key}`, line: open.line, pointer: null };
    return { severity: "warning", kind: "text", text: `${words} words`, public: place, gated: { name: gated.key, line: gated.line } };
  });
  const isMeant = (leak: Leak): boolean =>
    allowances.some(
      ({ covers, text, gated }) =>
        covers(leak.public.name) && (gated === null || gated === leak.gated.name) && (text === null || text === leak.text),
    );
  return [...leaks.filter(({ severity }) => severity === "warning"), ...passages].filter((leak) => !isMeant(leak));
}

function tellRepeated(repeated: readonly Leak[]): readonly string[] {
  if (repeated.length === 0) return [];
  const at = (name: string, line: number | null): string => `${JSON.stringify(name)}${line === null ? "" : ` line ${line}`}`;
  const named = repeated.slice(0, MAX_NAMED).map(({ kind, text, public: open, gated }) => {
    const what = kind === "text" ? text : kind === "key" || text.length > MAX_TOLD ? `the ${kind}` : `the ${kind} ${JSON.stringify(text)}`;
    return `${at(open.name, open.line)} has ${what}${gated.name === null ? "" : ` of ${at(gated.name, gated.line)}`}`;
  });
  if (repeated.length > named.length) named.push(`and ${repeated.length - named.length} more`);
  return [
    `Public sources repeat what is gated, ${repeated.length === 1 ? "once" : `${repeated.length} times`}, and it is public by their word: ${named.join("; ")}. Where that was not meant, take it out of them or gate them; gates.repeats: refuse stops such a build.`,
  ];
}
