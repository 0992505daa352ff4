/** Questions to compiled files: their statements, what these name, axioms, uses. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { compareNames } from "#snapshots/format";
import { type Assumptions, Coq, readAssumptions, readType } from "./coq-ask.ts";
import { assumptionsOf, type CoqGraph, graphOf, graphOfModules, readGraph, unionOf } from "./coq-graph.ts";
import { namedByLoad } from "./coq-load.ts";
import { FullNames, printDefinitions, type Printed } from "./coq-meaning.ts";
import { readGlob } from "./coq-glob.ts";
import { findElsewhere } from "./coq-outline.ts";
import { type Read, readPlainly } from "./coq-reads.ts";
import { libraryOf, openWords } from "./coq-words.ts";
import { fold } from "./declaration.ts";
import { type CoqUse, readCoqUses } from "./coq-uses.ts";
import { memoize } from "./memoize.ts";
import type { AdapterRequest, AskedDeclaration } from "./request.ts";
import type { Dialogue } from "./sandbox.ts";

/** Declarations of one question, once that for a whole file found axioms. */
const FEW = 8;

export type Asking = {
  readonly request: AdapterRequest;
  /** Starts a Coq that may write into the file of a graph. */
  open(): Dialogue;
  /** Full name of the module of a file. */
  moduleOf(path: string): string;
  /** Files with all that they import of the sources. */
  importsOf(paths: readonly string[]): readonly string[];
  say(line: object): void;
  /** Where a graph can be written, and what takes it from there; null where the plugin is not here. */
  readonly graph: { readonly file: string; read(): string } | null;
  /** The axioms that sealed constants of the installed libraries rest on, from earlier runs and from this one. */
  readonly installed: Map<string, Assumptions>;
  /** The prints of the files' definitions from earlier runs, and where those of this run are kept. */
  readonly printed: {
    read(): ReadonlyMap<string, Printed>;
    keep(all: ReadonlyMap<string, Printed>): void;
    readonly missing: readonly string[];
  };
};

/** A Coq that has loaded some files, and what is known of all files that these import. */
type Session = Asking & {
  readonly coq: Coq;
  readonly full: FullNames;
  readonly lists: ReturnType<typeof openLists>;
  /** Tells whether a full name is of a module of the sources. */
  readonly isOwn: (name: string) => boolean;
  /** Names of all that the files state and prove. */
  readonly stated: ReadonlySet<string>;
  /** All axioms that were told. */
  readonly axioms: Set<string>;
};

/** answer asks for statements first, then for axioms: by one question for all, which is split where they are not closed. */
export async function answer(asking: Asking, asked: readonly AskedDeclaration[]): Promise<void> {
  const paths = [...new Set(asked.map(({ path }) => path))];
  const { groups, broken } = await findLoadable(asking, paths);
  const modules = new Set(asking.request.files.filter(({ path }) => path.endsWith(".v")).map(({ path }) => asking.moduleOf(path)));
  const lists = openLists(asking, paths);
  const isOwn = (name: string): boolean => libraryOf(name, modules) !== "";
  const stated = new Set(asking.request.own);
  const definitions = new Map<string, Printed>();
  for (const { coq, paths: group } of groups) {
    const some = asked.filter(({ path }) => group.includes(path));
    const session = { ...asking, coq, full: new FullNames(coq), lists, isOwn, stated, axioms: new Set<string>() };
    for (const [name, one] of await answerOf(session, group, some)) definitions.set(name, unite(one, definitions.get(name)));
    await coq.end();
  }
  for (const [name, one] of [...definitions].sort(([a], [b]) => compareNames(a, b))) asking.say({ t: "definition", name, ...one });
  for (const { path, key } of asked)
    if (broken.includes(path)) asking.say({ t: "check", path, decl: key, state: "environment", log: "Its .vo file does not load." });
}

/** unite joins two prints of one name, from two groups of files that are loaded apart. Either may change, so that both are in the digest. */
function unite(one: Printed, other: Printed = one): Printed {
  if (one.sha256 === other.sha256) return one;
  const [first, second] = one.sha256 < other.sha256 ? [one, other] : [other, one];
  return { sha256: sha256(`${first.sha256} ${second.sha256}`), mentions: [...new Set([...first.mentions, ...second.mentions])] };
}

/** Files that load together, those that do not each alone, with a Coq that has loaded them and nothing else. */
async function findLoadable(
  { open, moduleOf }: Asking,
  paths: readonly string[],
): Promise<{ groups: { coq: Coq; paths: readonly string[] }[]; broken: string[] }> {
  const all = new Coq(open);
  const loaded = await all.load(paths.map(moduleOf));
  if (!loaded.includes(false)) return { groups: [{ coq: all, paths }], broken: [] };
  await all.end();
  const together = paths.filter((_, at) => loaded[at]);
  const groups = [{ coq: new Coq(open, together.map(moduleOf)), paths: together }];
  const broken: string[] = [];
  for (const path of paths.filter((other) => !together.includes(other))) {
    const coq = new Coq(open);
    const [loads] = await coq.load([moduleOf(path)]);
    if (loads === true) groups.push({ coq, paths: [path] });
    else {
      broken.push(path);
      await coq.end();
    }
  }
  return { groups, broken };
}

/** @returns the definitions that statements and axioms name, and those that these name */
async function answerOf(
  session: Session,
  paths: readonly string[],
  asked: readonly AskedDeclaration[],
): Promise<ReadonlyMap<string, Printed>> {
  const { say, coq, full, isOwn, lists } = session;
  const checks = asked.map(({ name }) => `Check @${name}.`);
  const shown = await coq.ask(checks, "Printing Coercions");
  await coq.rest();
  const wholes = await coq.ask(checks, "Printing All");
  const there: { readonly one: AskedDeclaration; readonly statement: string; readonly whole: string }[] = [];
  for (const [at, one] of asked.entries()) {
    const [statement, whole] = [readType(shown[at] ?? ""), readType(wholes[at] ?? "")];
    const line = lists.elsewhere(one);
    if (line !== undefined) refuse(session, one, `Coq has another declaration of this name, in line ${line}.`);
    else if (statement === null || whole === null) refuse(session, one, "Coq has nothing of this name.");
    else there.push({ one, statement, whole });
  }
  await coq.rest();
  const statements = await full.read(
    there.map(({ whole }) => whole),
    isOwn,
  );
  const those = there.map(({ one }, at): Stated => ({ ...one, mentions: statements[at]?.mentions ?? [] }));
  const reads = await readAll(session, paths, those);
  for (const [at, one] of those.entries()) {
    const read = reads.get(one.key);
    const words = one.words === "" ? [] : lists.wordsOf(one, read);
    const is_words = one.words === "" ? null : read?.isType === true && words.length === 0 && lists.isWhole(one.path);
    const [statement, type_sha256] = [fold(there[at]?.statement ?? ""), statements[at]?.sha256 ?? ""];
    say({ t: "decl", key: one.key, statement, type_sha256, mentions: one.mentions, is_words, words });
  }
  await coq.rest();
  await tellAxioms(session, those);
  await coq.rest();
  return findDefinitions(session, [...those.flatMap(({ mentions }) => mentions), ...[...session.axioms].filter(isOwn)]);
}

function refuse({ say }: Session, { path, key }: AskedDeclaration, log: string): void {
  say({ t: "check", path, decl: key, state: "unsupported", log });
}

/** Asks of each theorem if its words are its type, in a process that loads what the others do. */
async function readAll(
  { open, moduleOf, request, lists }: Session,
  paths: readonly string[],
  asked: readonly Stated[],
): Promise<ReadonlyMap<string, Read>> {
  const all = new Map<string, Read>();
  const theorems = asked.filter(({ words }) => words !== "");
  if (theorems.length === 0) return all;
  const libraries = request.files.filter(({ path }) => path.endsWith(".v")).map(({ path }) => moduleOf(path));
  const isOwn = (name: string, from: string): boolean =>
    lists.modules.has(name.split(".").at(-1) ?? "") ||
    libraries.some((library) => (library === name || library.endsWith(`.${name}`)) && (from === "" || library.startsWith(`${from}.`)));
  const modules = paths.map(moduleOf);
  const by = { plain: new Coq(open, modules), seen: new Coq(open, modules) };
  // One that has a word of its own is shown as it is printed, whatever else is found.
  const isOpen = (one: Stated, read: Read): boolean => lists.isWhole(one.path) && lists.wordsOf(one, read).length === 0;
  for (const [path, some] of Map.groupBy(theorems, (one) => one.path)) {
    const text = readFileSync(join(request.root, path), "utf8");
    const readings = some.map((one) => ({ one, candidates: lists.candidates(one.words) }));
    for (const [key, read] of await readPlainly(by, moduleOf(path), text, readings, isOwn, isOpen)) all.set(key, read);
    for (const coq of Object.values(by)) await coq.rest();
  }
  for (const coq of Object.values(by)) await coq.end();
  return all;
}

/** openLists reads what Coq lists of the files and of all that they import. */
function openLists({ request, moduleOf, importsOf }: Asking, paths: readonly string[]) {
  const files = importsOf(paths).flatMap((path) => {
    const glob = globOf(join(request.root, `${path}o`));
    if (!existsSync(glob)) return [];
    const source = readFileSync(join(request.root, path));
    const hasParts = namedByLoad(source.toString("utf8")).length > 0;
    return [{ path, module: moduleOf(path), source, glob: readGlob(readFileSync(glob, "utf8")), hasParts }];
  });
  // Places in a file that loads others are places in these, too: nothing follows from them.
  const words = openWords(files);
  const visibleFrom = memoize((path: string): ReadonlySet<string> => new Set(importsOf([path]).map(moduleOf)));
  const whole = new Map(files.flatMap((file) => (file.hasParts ? [] : [[file.path, file]])));
  const modules = files.flatMap(({ glob }) => glob.declared.filter(({ kind }) => kind === "mod" || kind === "modtype"));
  const lines = memoize((path: string) => {
    const file = whole.get(path);
    return file === undefined ? undefined : findElsewhere(file.source, file.glob.declared);
  });
  return {
    /** Last names of modules inside the files. */
    modules: new Set(modules.map(({ name }) => name.split(".").at(-1) ?? "")),
    candidates: words.candidates,
    /** Words of a statement that do not mean what they mean elsewhere. */
    wordsOf: (one: Stated, read: Read | undefined) => words.of(one, moduleOf(one.path), visibleFrom(one.path), read, one.mentions),
    /** True where the places in Coq's list of a file are all in that file. */
    isWhole: (path: string): boolean => whole.has(path),
    /** The line where Coq has what our reader of the text saw in another one. */
    elsewhere: ({ path, name }: AskedDeclaration) => lines(path)?.get(name.slice(moduleOf(path).length + 1)),
    /** The uses that the words of a file tell. */
    usesIn(path: string): readonly CoqUse[] {
      const file = whole.get(path);
      return file === undefined ? [] : readCoqUses(file.glob, file.source, file.module);
    },
  };
}

/** A declaration, and what of the sources its statement names. */
type Stated = AskedDeclaration & { readonly mentions: readonly string[] };

async function findDefinitions(session: Session, named: readonly string[]): Promise<ReadonlyMap<string, Printed>> {
  const { request, printed, moduleOf, say } = session;
  const theorems = new Set(request.theorems);
  const missing = printed.missing.map((path) => `${moduleOf(path)}.`);
  const fresh = request.own.filter((name) => !theorems.has(name) && missing.some((module) => name.startsWith(module)));
  const names = [...new Set([...fresh, ...named])];
  const { printed: all, left } = await printDefinitions(session, names, theorems, printed.read());
  if (left > 0)
    say({
      t: "problem",
      path: request.ask[0]?.path ?? "",
      what: `there are too many definitions, so that ${left} of them ${left === 1 ? "was" : "were"} not printed; changes below are not seen`,
    });
  printed.keep(all);
  const reached = new Set(named);
  for (const name of reached) for (const other of all.get(name)?.mentions ?? []) reached.add(other);
  return new Map([...all].filter(([name]) => reached.has(name)));
}

async function tellAxioms(session: Session, asked: readonly Stated[]): Promise<void> {
  if (asked.length === 0) return;
  const tuple = session.coq.tuple(asked.map(({ name }) => name));
  const [said] = await session.coq.ask([tuple.question]);
  const all = readAssumptions(said ?? "");
  if (all !== null && (await tellByGraph(session, asked, tuple.name, all))) return;
  tellUses(session, asked);
  await tellBySplitting(session, asked, all);
}

function tell({ say, isOwn, axioms, stated }: Session, one: AskedDeclaration, { names, unsafe }: Assumptions, exact: boolean): void {
  for (const name of names) {
    axioms.add(name);
    if (stated.has(name)) say({ t: "hole", decl: one.key, what: name });
  }
  say({ t: "axioms", decl: one.key, names, own: names.filter(isOwn), unsafe, exact });
}

/** @returns whether the graph was taken: it has to say of all together what `Print Assumptions` says, and to know each declaration */
async function tellByGraph(session: Session, asked: readonly Stated[], tuple: string, all: Assumptions): Promise<boolean> {
  const { say, full, coq, stated, graph: by } = session;
  if (by === null) return false;
  // Where all is closed the graph of the sources alone says what they use; that of all libraries is dear.
  const isClosed = all.names.length + all.unsafe.length === 0;
  const modules = session.importsOf(asked.map(({ path }) => path)).map(session.moduleOf);
  await coq.ask([isClosed ? graphOfModules(modules, by.file) : graphOf(tuple, by.file)]);
  const graph = readGraph(by.read());
  if (graph === null) return false;
  const own = new Set([...stated, ...asked.map(({ name }) => name)]);
  const last = new Set([...own].map((name) => name.split(".").at(-1)));
  const flagged = all.unsafe.map((what) => what.split(" ")[0] ?? "");
  const wanted = [...graph.nodes.values()].filter(({ name, body }) => !body || last.has(name.split(".").at(-1)));
  await full.locate([...wanted.map(({ name }) => name), ...all.names, ...flagged]);
  const numbers = new Map([...graph.nodes].map(([id, { name }]) => [full.of(name), id]));
  const ids = asked.flatMap(({ name }) => numbers.get(name) ?? []);
  if (numbers.size !== graph.nodes.size || ids.length < asked.length) return false;
  const rests = isClosed ? new Map<number, Assumptions>() : await restsOf(session, graph, all);
  if (rests === null) return false;
  const found = assumptionsOf(graph, ids, rests);
  if (!isSame(unionOf(found), { ...all, names: all.names.map((name) => full.of(name)) })) return false;
  for (const [at, one] of asked.entries()) {
    tell(session, one, found[at] as Assumptions, true);
    for (const to of (graph.named.get(ids[at] ?? 0) ?? []).map((other) => full.of(graph.nodes.get(other)?.name ?? "")))
      if (own.has(to) && to !== one.name)
        say({ t: "edge", from: one.key, to, part: one.mentions.includes(to) ? "statement" : "proof", basis: "kernel" });
  }
  return true;
}

function isSame(one: Assumptions, other: Assumptions): boolean {
  const isEqual = (a: readonly string[], b: readonly string[]): boolean => new Set(a).symmetricDifference(new Set(b)).size === 0;
  return isEqual(one.names, other.names) && isEqual(one.unsafe, other.unsafe);
}

/** restsOf tells what each node brings that is an axiom, has no body, or has a switch off. A module seals some: these have no body to see, and Coq
 *  is asked of each alone. To ask is dear: Coq walks through every proof below.
 *  @returns null when something cannot be told */
async function restsOf(
  { coq, full, installed, isOwn }: Session,
  { nodes }: CoqGraph,
  all: Assumptions,
): Promise<ReadonlyMap<number, Assumptions> | null> {
  const axioms = new Set(all.names.map((name) => full.of(name)));
  const rests = new Map<number, Assumptions>();
  const sealed: { readonly id: number; readonly name: string }[] = [];
  for (const [id, { name, body }] of nodes) {
    const whole = full.of(name);
    const unsafe = all.unsafe.filter((what) => full.of(what.split(" ")[0] ?? "") === whole);
    const known = installed.get(whole);
    if (axioms.has(whole)) rests.set(id, { names: [whole], unsafe });
    else if (!body && known !== undefined) rests.set(id, known);
    else if (!body) sealed.push({ id, name: whole });
    else if (unsafe.length > 0) rests.set(id, { names: [], unsafe });
  }
  const answers = await coq.ask(sealed.map(({ name }) => coq.tuple([name]).question));
  for (const [at, { id, name }] of sealed.entries()) {
    const said = readAssumptions(answers[at] ?? "");
    if (said === null) return null;
    await full.locate(said.names);
    const rest = { ...said, names: said.names.map((one) => full.of(one)) };
    rests.set(id, rest);
    if (!isOwn(name)) installed.set(name, rest);
  }
  return rests;
}

/** @param first what was said of all together */
async function tellBySplitting(session: Session, asked: readonly AskedDeclaration[], first: Assumptions | null): Promise<void> {
  const { request, coq, full, isOwn } = session;
  const allowed = new Set(request.allowed);
  let groups: (readonly AskedDeclaration[])[] = [asked];
  let answers: (Assumptions | null)[] = [first];
  while (groups.length > 0) {
    await full.locate(answers.flatMap((one) => one?.names ?? []));
    const next: (readonly AskedDeclaration[])[] = [];
    for (const [at, group] of groups.entries()) {
      const said = answers[at] ?? null;
      const found = said === null ? null : { ...said, names: said.names.map((name) => full.of(name)) };
      // Where the policy allows all that a file rests on, each theorem of it rests on at most that.
      const oneFile = new Set(group.map(({ path }) => path)).size === 1;
      const enough = oneFile && found?.unsafe.length === 0 && found.names.every((name) => allowed.has(name) && !isOwn(name));
      if (found !== null && (group.length === 1 || enough))
        for (const one of group) tell(session, one, found, group.length === 1 || found.names.length === 0);
      else if (group.length > 1) next.push(...split(group));
      else for (const one of group) refuse(session, one, "Coq did not say what it rests on.");
    }
    groups = next;
    const said = await coq.ask(groups.map((group) => coq.tuple(group.map(({ name }) => name)).question));
    answers = said.map((text) => readAssumptions(text ?? ""));
  }
}

/** By file, then by a few, then one by one. */
function split(group: readonly AskedDeclaration[]): (readonly AskedDeclaration[])[] {
  const files = [...Map.groupBy(group, ({ path }) => path).values()];
  if (files.length > 1) return files;
  const size = group.length > FEW ? FEW : 1;
  return Array.from({ length: Math.ceil(group.length / size) }, (_, at) => group.slice(at * size, (at + 1) * size));
}

export function globOf(object: string): string {
  return object.replace(/o$/, ".glob");
}

/** Says what each declaration names of the same sources, as the words of the source tell it. */
function tellUses({ stated, lists, say }: Session, asked: readonly AskedDeclaration[]): void {
  const known = new Set([...stated, ...asked.map(({ name }) => name)]);
  for (const [path, some] of Map.groupBy(asked, (one) => one.path)) {
    const keys = new Map(some.map(({ name, key }) => [name, key]));
    for (const { from, to, part } of lists.usesIn(path)) {
      const key = keys.get(from);
      if (key !== undefined && known.has(to)) say({ t: "edge", from: key, to, part, basis: "source" });
    }
  }
}
