/** registry.lock.jsonl: which id belongs to which declaration, one line each, sorted, so that two branches merge. An id is never used for
 *  anything else. */
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { CubId, Sha256Hex } from "#snapshots/schema";
import { OPEN, writeWhole } from "#snapshots/shelf";
import type { Cause } from "./drift.ts";
import type { FoundDeclaration } from "./scan.ts";

const lockLineSchema = z.strictObject({
  id: CubId,
  key: z.string().min(1).meta({ description: "Repository, prover and full name" }),
  first: z.string().meta({ description: "Revision that it was first seen in" }),
  seen: z.string().exactOptional().meta({ description: "Of what is gone: the revision in which it was missed first" }),
  statement: Sha256Hex.or(z.literal("")).meta({ description: "Digest of its words there" }),
  verified: Sha256Hex.exactOptional().meta({ description: "The statement that a prover accepted" }),
  type: Sha256Hex.exactOptional().meta({ description: "That statement as the prover printed it" }),
  meaning: Sha256Hex.exactOptional().meta({ description: "And with every definition below it" }),
  was: z.array(z.string()).default([]).meta({ description: "Keys that it had before" }),
  reason: z.string().exactOptional().meta({ description: "Why somebody accepted its last drift" }),
  state: z.enum(["live", "gone"]),
});
/** lockJsonSchema is the JSON Schema of one line. */
export const lockJsonSchema = z.toJSONSchema(lockLineSchema, { io: "input" });
export type LockLine = z.infer<typeof lockLineSchema>;

export type Drift = {
  readonly what: "new" | "moved" | "renamed" | "renamed?" | "changed" | "gone" | "returned" | Cause;
  readonly id: string;
  readonly key: string;
  /** The key before, of what moved or was renamed. */
  readonly from?: string;
  /** The definitions below it that moved, where it says something else. */
  readonly definitions?: readonly string[];
  /** A prover accepted the statement as it was, and nobody has accepted that it is another. */
  readonly refused: boolean;
};

/** readLock reads a lock; it is empty where there is no file. @throws ShelfError "bad_config" with every line that is wrong */
export function readLock(file: string): LockLine[] {
  if (!existsSync(file)) return [];
  const errors: string[] = [];
  const seen = openNames();
  const lines: LockLine[] = [];
  for (const [index, text] of readFileSync(file, "utf8").split("\n").entries()) {
    const number = index + 1;
    if (text.trim() === "") continue;
    if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(text)) {
      if (text.startsWith("<")) errors.push(`${file}:${number}: ${CONFLICT}`);
      continue;
    }
    const { data, error } = lockLineSchema.safeParse(parseJson(text));
    if (data === undefined) {
      errors.push(
        `${file}:${number}: ${error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim()).join("; ") ?? "is no JSON"}`,
      );
      continue;
    }
    for (const fault of seen.faults(data, number)) errors.push(`${file}:${number}: ${fault}`);
    lines.push(data);
  }
  if (errors.length > 0)
    throw new ShelfError("bad_config", errors.join("\n"), { errors: errors.map((detail) => ({ pointer: "", detail })) });
  return lines;
}

/** UNWRITTEN are the kinds of drift that a scan has to write into the lock before anything else is said of them. */
export const UNWRITTEN: ReadonlySet<Drift["what"]> = new Set(["new", "moved", "renamed", "renamed?", "returned"]);

const CONFLICT = "two branches were merged here: take out the lines of marks, and of the others what is named below";

/** openNames finds ids and keys that stand in two lines, as they do when two branches have each given the next free number. */
function openNames() {
  const seen = new Map<string, { readonly number: number; readonly line: LockLine }>();
  return {
    faults: (line: LockLine, number: number): string[] =>
      [line.id, line.key].flatMap((name) => {
        const other = seen.get(name);
        if (other === undefined) seen.set(name, { number, line });
        if (other === undefined || (name === line.key && other.line.id === line.id)) return [];
        const again = `${name} stands in line ${other.number}, too`;
        if (other.line.key === line.key) return [`${again}: keep the one of the two lines that was published first`];
        return [`${again}, for another theorem: keep the one that was published first; the next scan gives the other a new id`];
      }),
  };
}

const MEMBERS = Object.keys(lockLineSchema.shape) as readonly (keyof LockLine)[];

/** writeLock writes a line for each id. A line says nothing of the run, and its members have one order, so that two branches merge.
 *  @throws ShelfError "bad_config" when readLock would not read it; then nothing is written */
export function writeLock(file: string, lines: readonly LockLine[]): void {
  const sorted = [...lines].sort((a, b) => numberOf(a.id) - numberOf(b.id));
  const seen = openNames();
  const faults = sorted.flatMap((line, index) => seen.faults(line, index + 1));
  if (faults.length > 0) throw new ShelfError("bad_config", `${file} was left as it is: ${faults.join("; ")}`);
  const text = sorted.map((line) => {
    const members = MEMBERS.flatMap((name) =>
      line[name] === undefined || (name === "seen" && line.state === "live") ? [] : [[name, line[name]]],
    );
    return `${JSON.stringify(Object.fromEntries(members))}\n`;
  });
  writeWhole(file, text.join(""), { modes: OPEN });
}

export type MatchOptions = {
  /** Id → revision of the declarations' repository. */
  readonly heads: ReadonlyMap<string, string>;
  /** New key → old key, as a person says. */
  readonly renames: ReadonlyMap<string, string>;
  /** Ids whose drift somebody accepts. */
  readonly accept: ReadonlySet<string>;
  readonly reason: string | undefined;
  /** Ids that are somebody else's. */
  readonly reserved: readonly string[];
};

/** matchLock gives the lock as it is after a scan, and what is other than before. Each way of matching counts only where it is unique on both
 *  sides. */
export function matchLock(
  before: readonly LockLine[],
  found: readonly FoundDeclaration[],
  options: MatchOptions,
): { lock: LockLine[]; drift: Drift[] } {
  const drift: Drift[] = [];
  const lines = new Map(before.map((line) => [line.key, line]));
  const open = new Map(found.map((one) => [one.key, one]));
  const matched = new Map<string, LockLine>();
  const proposed = new Map<string, string>();
  const take = (one: FoundDeclaration, line: LockLine): void => {
    matched.set(one.key, line);
    lines.delete(line.key);
    open.delete(one.key);
  };
  takeBack(before, found, options, (one, line, instead) => {
    lines.delete(instead.key);
    take(one, line);
    // No id is ever used again: that which was given instead stays, under a name that nothing has.
    lines.set(instead.id, { ...instead, key: `${instead.key} ${instead.id}` });
  });
  for (const one of open.values()) {
    const line = lines.get(one.key);
    if (line !== undefined) take(one, line);
  }
  for (const one of open.values()) {
    const line = lines.get(options.renames.get(one.key) ?? "");
    if (line !== undefined) take(one, line);
  }
  const lastOf = (key: string): string => key.split(".").at(-1) ?? key;
  pair(open.values(), lines.values(), (key, digest) => `${placeOf(key)} ${lastOf(key)} ${digest}`, take);
  const moves = modulesMoved(matched);
  for (const line of lines.values()) {
    const one = open.get(`${moves.get(moduleOf(line.key)) ?? ""}.${lastOf(line.key)}`);
    if (one !== undefined) take(one, line);
  }
  pair(open.values(), lines.values(), statedAs, (one, line) => {
    if (options.accept.has(line.id)) take(one, line);
    else proposed.set(one.key, line.id);
  });

  let next = [...before.map(({ id }) => id), ...options.reserved].reduce((most, id) => Math.max(most, numberOf(id)), 0);
  const lock: LockLine[] = [];
  for (const one of found) {
    const head = options.heads.get(one.repo) ?? "";
    const line = matched.get(one.key);
    if (line === undefined) {
      const like = proposed.get(one.key);
      const id = `CUB-${String(++next).padStart(4, "0")}`;
      lock.push({ id, key: one.key, first: head, statement: one.digest, was: [], state: "live" });
      drift.push(
        like === undefined
          ? { what: "new", id, key: one.key, refused: false }
          : { what: "renamed?", id: like, key: one.key, refused: false },
      );
      continue;
    }
    const { id, key, was, verified, type, meaning, reason } = line;
    const moved = key !== one.key;
    const changed = line.statement !== one.digest && line.statement !== "";
    const accepted = options.accept.has(id);
    const renamed = moved && lastOf(key) !== lastOf(one.key);
    const refused = verified !== undefined && verified !== one.digest && !accepted;
    if (moved) drift.push({ what: renamed ? "renamed" : "moved", id, key: one.key, from: key, refused: false });
    if (changed) drift.push({ what: "changed", id, key: one.key, refused });
    if (line.state === "gone") drift.push({ what: "returned", id, key: one.key, refused: false });
    lock.push({
      id,
      key: one.key,
      first: line.first === "" ? head : line.first,
      statement: one.digest,
      was: moved ? [...was, key] : was,
      ...(verified === undefined || (accepted && changed)
        ? {}
        : { verified, ...(type === undefined ? {} : { type }), ...(meaning === undefined ? {} : { meaning }) }),
      // A reason says nothing of other words than it was given for.
      ...(accepted && options.reason !== undefined ? { reason: options.reason } : reason === undefined || changed ? {} : { reason }),
      state: "live",
    });
  }
  for (const line of lines.values()) {
    const seen = line.state === "gone" ? line.seen : options.heads.get(line.key.split(" ")[0] ?? "");
    lock.push({ ...line, ...(seen === undefined ? {} : { seen }), state: "gone" });
    if (line.state === "live") drift.push({ what: "gone", id: line.id, key: line.key, refused: false });
  }
  return { lock, drift };
}

/** takeBack finds what an earlier scan gave an id of its own although it states what a line that is gone did: somebody accepts now that it is that one.
 *  Nothing else states that, and nothing has been verified or accepted under the id that was given instead. */
function takeBack(
  before: readonly LockLine[],
  found: readonly FoundDeclaration[],
  { accept }: MatchOptions,
  take: (one: FoundDeclaration, line: LockLine, instead: LockLine) => void,
): void {
  const foundKeys = new Map(found.map((one) => [one.key, one]));
  for (const line of before) {
    if (!accept.has(line.id) || line.state !== "gone") continue;
    const alike = before.filter(
      ({ state, statement, key, was }) => state === "live" && statement === line.statement && foundKeys.has(key) && was.length === 0,
    );
    const near = alike.filter(({ key }) => placeOf(key) === placeOf(line.key));
    // Others may state the same for long: the id was given at the revision at which this line was gone.
    const since = near.filter(({ first }) => first === line.seen);
    const [instead, ...others] = since.length > 0 ? since : near;
    const one = instead === undefined ? undefined : foundKeys.get(instead.key);
    if (instead !== undefined && one !== undefined && others.length === 0 && one.digest === line.statement) take(one, line, instead);
  }
}

/** modulesMoved says where modules went as a whole, by what moved out of each: the words of the rest may name modules, and differ. */
function modulesMoved(matched: ReadonlyMap<string, LockLine>): ReadonlyMap<string, string> {
  const went = new Map<string, Set<string>>();
  for (const [key, line] of matched) {
    const to = went.get(moduleOf(line.key)) ?? new Set();
    went.set(moduleOf(line.key), to.add(moduleOf(key)));
  }
  return new Map([...went].flatMap(([from, [to = from, ...more]]) => (more.length > 0 || to === from ? [] : [[from, to]])));
}

/** moduleOf gives a key without the last part of its name. */
function moduleOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf(".")));
}

/** statedAs gives what two declarations have in common that state the same in one repository, to one prover. */
export const statedAs = (key: string, digest: string): string => `${placeOf(key)} ${digest}`;

/** Repository and prover of a key. */
function placeOf(key: string): string {
  return key.split(" ").slice(0, 2).join(" ");
}

/** Calls `take` for each declaration and line that have a name in common that nothing else has. */
function pair(
  found: Iterable<FoundDeclaration>,
  lines: Iterable<LockLine>,
  name: (key: string, digest: string) => string,
  take: (one: FoundDeclaration, line: LockLine) => void,
): void {
  const left = Map.groupBy(found, ({ key, digest }) => name(key, digest));
  const right = Map.groupBy(lines, ({ key, statement }) => name(key, statement));
  for (const [shared, [one, ...others]] of left) {
    const [line, ...more] = right.get(shared) ?? [];
    if (one !== undefined && line !== undefined && others.length === 0 && more.length === 0) take(one, line);
  }
}

function numberOf(id: string): number {
  return Number(id.slice("CUB-".length));
}
