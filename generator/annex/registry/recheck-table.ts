/** The table that a recheck ends with: what was accepted, what rests on more than the policy allows, what is open, what was refused, and what could
 *  not be run and why. Values in, values and lines out. */
import { compareNames } from "#snapshots/format";
import { FOUND } from "#generator/commands";
import { complaintIn, rootOf } from "./need.ts";
import { accepts, isFailure, outsideOf, policyName, readPolicy, saysNothing, type Verdict } from "./states.ts";

/** RecheckRow is one declaration, and what was said of it. */
export type RecheckRow = {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** True for a theorem. A definition or an axiom proves nothing, and may rest on anything. */
  readonly isTheorem: boolean;
  /** Null where nobody could be asked. */
  readonly verdict: Verdict | null;
  /** The prover's output on each file of the same run. */
  readonly logs: ReadonlyMap<string, string>;
  /** Why it is not accepted, where that is said of it alone. */
  readonly reason: string;
  /** True where a prover could be asked here at all. */
  readonly askable: boolean;
  /** Other checkers that agree with the verdict, and how each of the others contradicts it. */
  readonly second: readonly {
    readonly name: string;
    readonly said: "agrees" | "declines" | "says nothing" | "disagrees";
    readonly how: string;
  }[];
};

/** A group of declarations that are not accepted for one reason. */
type Group = {
  /** Axiom, hole, or sentence of the prover. */
  readonly what: string;
  readonly count: number;
  /** The first of them: where, and in the prover's own words. */
  readonly path: string;
  readonly words: string;
};

export type Table = {
  readonly accepted: number;
  readonly axioms: { readonly count: number; readonly atMost: number; readonly groups: readonly Pick<Group, "what" | "count">[] };
  readonly holes: { readonly count: number; readonly groups: readonly Group[] };
  readonly refused: { readonly count: number; readonly groups: readonly Group[] };
  readonly exported: number;
  readonly notRun: { readonly count: number; readonly groups: readonly Group[] };
  readonly unasked: { readonly count: number; readonly groups: readonly Group[] };
  readonly second: Readonly<Record<string, number>>;
};

type Kind = "accepted" | "axioms" | "holes" | "refused" | "exported" | "notRun" | "unasked";

/** tabulate puts each declaration into one row. @param policy axioms that are allowed */
export function tabulate(rows: readonly RecheckRow[], policy: readonly string[]): Table {
  const allowed = readPolicy(policy);
  const kindOf = ({ verdict, isTheorem, askable, second }: RecheckRow): Kind => {
    if (second.some(({ said }) => said === "disagrees")) return "refused";
    if (verdict === null || verdict.state === "unsupported") return askable && verdict === null ? "notRun" : "unasked";
    if (saysNothing(verdict.state)) return "notRun";
    if (verdict.state === "exported" && !isFailure(verdict, allowed)) return "exported";
    if (verdict.state === "holes") return "holes";
    const outside = outsideOf(verdict, allowed);
    if (accepts(verdict) && verdict.unsafe.length === 0 && outside.length > 0) return isTheorem ? "axioms" : "accepted";
    return isFailure(verdict, allowed) ? "refused" : "accepted";
  };
  const by = Map.groupBy(rows, kindOf);
  const of = (kind: Kind): readonly RecheckRow[] => by.get(kind) ?? [];
  const namesOutside = (verdict: Verdict): string[] => outsideOf(verdict, allowed).map((name) => policyName(verdict, name));
  const open = new Set(of("holes").map(({ name }) => name));
  const axioms = of("axioms").map((row) => (row.verdict === null ? [] : namesOutside(row.verdict)));
  return {
    accepted: of("accepted").length,
    axioms: {
      count: axioms.length,
      atMost: of("axioms").filter(({ verdict }) => verdict?.exact === false).length,
      groups: countEach(axioms.flat()).map(([what, count]) => ({ what, count })),
    },
    holes: group(of("holes"), (row) => openIn(row, open)),
    refused: group(of("refused"), (row) => [reasonOf(row)]),
    exported: of("exported").length,
    notRun: group(of("notRun"), (row) => [reasonOf(row)]),
    unasked: group(of("unasked"), (row) => [reasonOf(row)]),
    second: Object.fromEntries(countEach(rows.flatMap(({ second }) => second.map(({ name, said }) => `${name} ${said}`)))),
  };
}

function countEach(names: readonly string[]): [string, number][] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]): [string, number] => [name, all.length])
    .sort(([a, many], [b, few]) => few - many || compareNames(a, b));
}

/** openIn names what is left open. The prover lists it among the axioms that it rests on.
 *  @param open names of what rests on something open */
function openIn({ verdict, name }: RecheckRow, open: ReadonlySet<string>): readonly string[] {
  const names = verdict?.axioms ?? [];
  const among = names.filter((one) => open.has(one));
  return among.length > 0 ? among : names.length > 0 ? names : [name];
}

/** causeOf finds the file that has to be mended, and what was said of it. */
function causeOf({ path, reason, logs }: RecheckRow): { readonly path: string; readonly words: string } {
  const root = rootOf(path, logs);
  return { path: root.path, words: complaintIn(root.path === path && reason !== "" ? reason : root.log).join("\n") };
}

function group(rows: readonly RecheckRow[], whatOf: (row: RecheckRow) => readonly string[]): { count: number; groups: Group[] } {
  const all = rows.flatMap((row) => whatOf(row).map((what) => ({ what, row })));
  const groups = [...Map.groupBy(all, ({ what }) => what)].map(([what, those]) => {
    const isIt = ({ row }: { row: RecheckRow }): number => Number(row.name === what);
    const [first] = those
      .map(({ row }) => ({ row, ...causeOf(row) }))
      .sort((a, b) => isIt(b) - isIt(a) || compareNames(a.path, b.path) || a.row.line - b.row.line);
    const isOwn = first?.path === first?.row.path && first?.words === "";
    return {
      what,
      count: those.length,
      path: isOwn ? `${first?.path}:${first?.row.line}` : (first?.path ?? ""),
      words: first?.words.trim() ?? "",
    };
  });
  return { count: rows.length, groups: groups.sort((a, b) => b.count - a.count || compareNames(a.what, b.what)) };
}

const MAX_SENTENCE = 160; // UTF-16 units

/** reasonOf gives in one sentence why a declaration is not accepted. */
function reasonOf(row: RecheckRow): string {
  const { verdict, second } = row;
  const against = second.find(({ said }) => said === "disagrees");
  if (against !== undefined) return `${against.name}: ${against.how}`;
  if (verdict === null) return row.reason || "nobody has asked";
  if (verdict.unsafe.length > 0) return verdict.unsafe.join("; ");
  const { words } = causeOf(row);
  const usual =
    verdict.state === "timeout"
      ? "it came to no end within the limits"
      : verdict.state === "memory"
        ? "it needs more memory than the limit"
        : "";
  return usual || sentenceOf(words) || verdict.state.replaceAll("_", " ");
}

/** sentenceOf gives what a prover complains of, without the place: Coq's "Error:", Agda's lines after the place, else the first line. */
function sentenceOf(words: string): string {
  const [, error] = /(?:^|\n)\s*(?:Syntax )?[Ee]rror:?\s+([^]*)/.exec(words) ?? [];
  const [, after] = /^[^\n]*:\d+(?:[,.]\d+)*-\d+(?:[,.]\d+)*:?\s*\n([^]*)/.exec(words) ?? [];
  const text = (error ?? after ?? words).replaceAll(/\s+/g, " ").trim();
  const [sentence = text] = /^.*?[^.]\.(?= |$)/.exec(text) ?? [];
  return sentence.slice(0, MAX_SENTENCE).replace(/\.$/, "");
}

const SHOWN = 10;
const MAX_AXIOMS = 100; // that a database has
const MAX_WORDS = 6; // lines of what a prover printed
const NAME = 24;
const COUNT = 6;

/** describeTable writes a table as lines; what is nought is left out, besides what was accepted. */
export function describeTable({ accepted, axioms, holes, refused, exported, notRun, unasked, second }: Table): string[] {
  const row = (name: string, count: number, more = ""): string => `${name.padEnd(NAME)}${String(count).padStart(COUNT)}${more}`;
  const some = (name: string, { count, groups }: Table["holes"], say?: (one: Group) => string): string[] =>
    count === 0 ? [] : [row(name, count), ...listed(groups, SHOWN, (one, at) => describeGroup(one, at === 0, say))];
  return [
    row("accepted", accepted),
    ...(axioms.count === 0
      ? []
      : [
          row(
            "accepted, with axioms",
            axioms.count,
            axioms.atMost === 0 ? "" : `, of these ${axioms.atMost} rest on at most what is listed`,
          ),
          "  To allow an axiom, add its line to policy.axioms of registry.yaml:",
        ]),
    ...listed(axioms.groups, MAX_AXIOMS, ({ what, count }) => [`${indent(count)}- ${quoteYaml(what)}`]),
    ...some("holes", holes, ({ what, path }) => `${what} is open (${path})`),
    ...some("refused", refused),
    ...(exported === 0 ? [] : [row("exported, not replayed", exported)]),
    ...some("not run", notRun),
    ...some("cannot be asked here", unasked),
    ...Object.entries(second).map(([name, count]) => row(name, count)),
  ];
}

function indent(count: number): string {
  return `${String(count).padStart(NAME + COUNT)}  `;
}

function quoteYaml(name: string): string {
  return /^(?:[A-Za-z0-9][\w.-]*: )?[A-Za-z_][\w.'-]*$/.test(name) ? name : JSON.stringify(name);
}

function listed<T>(all: readonly T[], most: number, linesOf: (one: T, at: number) => readonly string[]): string[] {
  const more = all.length - most;
  return [
    ...all.slice(0, most).flatMap(linesOf),
    ...(more > 0 ? [`${" ".repeat(NAME + COUNT + 2)}and ${more} more; --json has them all`] : []),
  ];
}

/** @param whole whether the prover's own words are shown */
function describeGroup(one: Group, whole: boolean, say = ({ what, path }: Group): string => `${what} (first in ${path})`): string[] {
  const words = one.words.replace(/\.$/, "") === one.what || one.words === "" ? [] : one.words.split("\n");
  return [`${indent(one.count)}${say(one)}`, ...(whole ? words.slice(0, MAX_WORDS).map((line) => `      ${line}`) : [])];
}

/** NOT_RUN is the exit code where something could not be run, and nothing is open or refused. */
const NOT_RUN = 4;

/** exitOf gives the exit code. @param all whether everything has to be accepted */
export function exitOf({ axioms, holes, refused, exported, notRun, unasked }: Table, all: boolean): number {
  const open = axioms.count - axioms.atMost + holes.count + refused.count;
  const others = axioms.atMost + exported + notRun.count + unasked.count;
  if (open > 0 || (all && others > 0)) return FOUND;
  return notRun.count > 0 ? NOT_RUN : 0;
}
