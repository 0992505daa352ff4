/** Questions to compiled files: their statements, what these name, axioms, uses. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { compareNames } from "#snapshots/format";
import { type Assumptions, Coq, readAssumptions, readType } from "./coq-ask.ts";
import { assumptionsOf, type CoqGraph, graphOf, graphOfModules, readGraph } from "./coq-graph.ts";
import { namedByLoad } from "./coq-load.ts";
import { FullNames, printDefinitions, type Printed } from "./coq-meaning.ts";
import { type Glob, readGlob } from "./coq-glob.ts";
import { holdOutline } from "./coq-outline.ts";
import { type Read, readPlainly } from "./coq-reads.ts";
import { openWords } from "./coq-words.ts";
import { fold } from "./declaration.ts";
import { readCoqUses } from "./coq-uses.ts";
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
  /** The prints of the files' definitions from earlier runs, and where those of this run are kept. */
  readonly printed: {
    read(): ReadonlyMap<string, Printed> | null;
    keep(all: ReadonlyMap<string, Printed>): void;
    readonly missing: readonly string[];
  };
};

/** answer asks for statements first, then for axioms: by one question for all, which is split where they are not closed. */
export async function answer(asking: Asking, asked: readonly AskedDeclaration[]): Promise<void> {
  const paths = [...new Set(asked.map(({ path }) => path))];
  const { groups, broken } = await findLoadable(asking, paths);
  const lists = openLists(asking, paths);
  const definitions = new Map<string, Printed>();
  for (const { coq, paths: group } of groups) {
    const some = asked.filter(({ path }) => group.includes(path));
    for (const [name, one] of await answerOf(asking, coq, group, some, lists)) definitions.set(name, unite(one, definitions.get(name)));
    await coq.end();
  }
  for (const [name, one] of [...definitions].sort(([a], [b]) => compareNames(a, b))) asking.say({ t: "definition", name, ...one });
  for (const path of broken)
    for (const one of asked.filter((other) => other.path === path))
      asking.say({ t: "check", path, decl: one.key, state: "environment", log: "Its .vo file does not load." });
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
  asking: Asking,
  coq: Coq,
  paths: readonly string[],
  asked: readonly AskedDeclaration[],
  lists: Lists,
): Promise<ReadonlyMap<string, Printed>> {
  const { say, moduleOf } = asking;
  const types = await coq.ask(
    asked.flatMap(({ name }) => [
      `Set Printing Coercions. Check @${name}. Unset Printing Coercions.`,
      `Set Printing All. Check @${name}. Unset Printing All.`,
    ]),
  );
  const there: { readonly one: AskedDeclaration; readonly statement: string; readonly whole: string }[] = [];
  for (const [at, one] of asked.entries()) {
    const [statement, whole] = [readType(types[2 * at] ?? ""), readType(types[2 * at + 1] ?? "")];
    const hidden = lists.hiddenOf(one);
    if (hidden !== null) say({ t: "check", path: one.path, decl: one.key, state: "unsupported", log: hidden });
    else if (statement === null || whole === null)
      say({ t: "check", path: one.path, decl: one.key, state: "unsupported", log: "Coq has nothing of this name." });
    else there.push({ one, statement, whole });
  }
  const full = new FullNames(coq);
  const statements = await full.read(
    there.map(({ whole }) => whole),
    isOwnOf(asking),
  );
  const { words } = lists;
  const reads = await readAll(
    asking,
    paths,
    there.map(({ one }) => one),
    words.candidates,
    lists.modules,
  );
  for (const [at, { one, statement }] of there.entries()) {
    const { sha256: type_sha256, mentions } = statements[at] as Printed;
    const read = reads.get(one.key);
    const marked = one.words === "" ? [] : words.of(one, moduleOf(one.path), lists.visibleFrom(one.path), read, mentions);
    const is_words = one.words === "" ? null : read?.isType === true && marked.length === 0 && lists.isWhole(one.path);
    say({ t: "decl", key: one.key, statement: fold(statement), type_sha256, mentions, is_words, words: marked });
  }
  const those = there.map(({ one }, at) => ({ ...one, mentions: statements[at]?.mentions ?? [] }));
  const axioms = new Set<string>();
  await tellAxioms({ ...asking, say: (line) => say(noteAxioms(line, axioms)) }, coq, full, those);
  return findDefinitions(asking, coq, full, [...those.flatMap(({ mentions }) => mentions), ...[...axioms].filter(isOwnOf(asking))]);
}

/** Asks of each theorem if its words are its type, in a process that loads what the others do. */
async function readAll(
  { open, moduleOf, request }: Asking,
  paths: readonly string[],
  asked: readonly AskedDeclaration[],
  candidates: (words: string) => readonly string[],
  modules: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Read>> {
  const all = new Map<string, Read>();
  const theorems = asked.filter(({ words }) => words !== "");
  if (theorems.length === 0) return all;
  const libraries = request.files.filter(({ path }) => path.endsWith(".v")).map(({ path }) => moduleOf(path));
  const isOwn = (name: string, from: string): boolean =>
    modules.has(name.split(".").at(-1) ?? "") ||
    libraries.some((library) => (library === name || library.endsWith(`.${name}`)) && (from === "" || library.startsWith(`${from}.`)));
  const coq = new Coq(open, paths.map(moduleOf));
  for (const [path, some] of Map.groupBy(theorems, (one) => one.path)) {
    const text = readFileSync(join(request.root, path), "utf8");
    const readings = some.map((one) => ({ one, candidates: candidates(one.words) }));
    for (const [key, read] of await readPlainly(coq, moduleOf(path), text, readings, isOwn)) all.set(key, read);
  }
  await coq.end();
  return all;
}

type Lists = ReturnType<typeof openLists>;

/** openLists reads what Coq lists of the files and of all that they import. */
function openLists({ request, moduleOf, importsOf }: Asking, paths: readonly string[]) {
  const modules = new Set<string>();
  const files = importsOf(paths).flatMap((path) => {
    const glob = globOf(join(request.root, `${path}o`));
    const source = readFileSync(join(request.root, path));
    if (!existsSync(glob)) return [];
    const listed: Glob = readGlob(readFileSync(glob, "utf8"));
    for (const { kind, name } of listed.declared) if (kind === "mod" || kind === "modtype") modules.add(name.split(".").at(-1) ?? "");
    return [{ path, module: moduleOf(path), source, glob: listed, hasParts: namedByLoad(source.toString("utf8")).length > 0 }];
  });
  const visible = new Map<string, ReadonlySet<string>>();
  const outlines = new Map(
    files
      .filter(({ path, hasParts }) => paths.includes(path) && !hasParts)
      .map((file) => [file.path, holdOutline(file.source, file.glob.declared)]),
  );
  return {
    /** Last names of modules inside the files. */
    modules,
    words: openWords(files),
    /** True where the places in Coq's list of a file are all in that file. */
    isWhole: (path: string): boolean => files.some((file) => file.path === path && !file.hasParts),
    /** Modules whose notations a file may see. */
    visibleFrom(path: string): ReadonlySet<string> {
      const known = visible.get(path) ?? new Set(importsOf([path]).map(moduleOf));
      visible.set(path, known);
      return known;
    },
    /** Why nothing follows of a declaration; null where our reader of the text saw what Coq did. */
    hiddenOf({ path, name }: AskedDeclaration): string | null {
      const outline = outlines.get(path);
      const line = outline?.elsewhere.get(name.slice(moduleOf(path).length + 1));
      return line === undefined ? (outline?.differs ?? null) : `Coq has another declaration of this name, in line ${line}.`;
    },
  };
}

/** @param axioms gets all that a line names */
function noteAxioms(line: object, axioms: Set<string>): object {
  if ("t" in line && line.t === "axioms" && "names" in line) for (const name of line.names as string[]) axioms.add(name);
  return line;
}

/** isOwnOf makes a test that tells whether a full name is of a module of the sources. */
function isOwnOf({ request, moduleOf }: Asking): (name: string) => boolean {
  const modules = new Set(request.files.filter(({ path }) => path.endsWith(".v")).map(({ path }) => moduleOf(path)));
  return (name) => {
    for (let at = name.lastIndexOf("."); at > 0; at = name.lastIndexOf(".", at - 1)) if (modules.has(name.slice(0, at))) return true;
    return false;
  };
}

/** A declaration, and what of the sources its statement names. */
type Stated = AskedDeclaration & { readonly mentions: readonly string[] };

async function findDefinitions(asking: Asking, coq: Coq, full: FullNames, named: readonly string[]): Promise<ReadonlyMap<string, Printed>> {
  const { request, printed } = asking;
  const theorems = new Set(request.theorems);
  const known = printed.read() ?? new Map<string, Printed>();
  const missing = printed.missing.map((path) => `${asking.moduleOf(path)}.`);
  const fresh = request.own.filter((name) => !theorems.has(name) && missing.some((module) => name.startsWith(module)));
  const names = [...new Set([...fresh, ...named])];
  const { printed: all, left } = await printDefinitions(coq, full, names, theorems, isOwnOf(asking), known);
  if (left > 0)
    asking.say({
      t: "problem",
      path: request.ask[0]?.path ?? "",
      what: `${left} definitions were not printed, for there are too many; changes below them are not seen`,
    });
  printed.keep(all);
  const reached = new Set(named);
  for (const name of reached) for (const other of all.get(name)?.mentions ?? []) reached.add(other);
  return new Map([...all].filter(([name]) => reached.has(name)));
}

async function tellAxioms(asking: Asking, coq: Coq, full: FullNames, asked: readonly Stated[]): Promise<void> {
  if (asked.length === 0) return;
  const tuple = coq.tuple(asked.map(({ name }) => name));
  const [said] = await coq.ask([tuple.question]);
  const all = readAssumptions(said ?? "");
  if (all !== null && (await tellByGraph(asking, coq, full, asked, tuple.name, all))) return;
  tellUses(asking, asked);
  await tellBySplitting(asking, coq, full, asked, all);
}

function tell(
  asking: Asking,
  one: AskedDeclaration,
  names: readonly string[],
  unsafe: readonly string[],
  exact: boolean,
  own: ReadonlySet<string>,
): void {
  const { say } = asking;
  for (const name of names) if (own.has(name)) say({ t: "hole", decl: one.key, what: name });
  say({ t: "axioms", decl: one.key, names, own: names.filter(isOwnOf(asking)), unsafe, exact });
}

/** @returns whether the graph was taken: it has to say of all together what `Print Assumptions` says, and to know each declaration */
async function tellByGraph(
  asking: Asking,
  coq: Coq,
  full: FullNames,
  asked: readonly Stated[],
  tuple: string,
  all: Assumptions,
): Promise<boolean> {
  if (asking.graph === null) return false;
  const { request, say } = asking;
  // Where all is closed the graph of the sources alone says what they use; that of all libraries is dear.
  const isClosed = all.names.length + all.unsafe.length === 0;
  const modules = asking.importsOf(asked.map(({ path }) => path)).map((path) => asking.moduleOf(path));
  await coq.ask([isClosed ? graphOfModules(modules, asking.graph.file) : graphOf(tuple, asking.graph.file)]);
  const graph = readGraph(asking.graph.read());
  if (graph === null) return false;
  const own = new Set([...request.own, ...asked.map(({ name }) => name)]);
  const last = new Set([...own].map((name) => name.split(".").at(-1)));
  const flagged = all.unsafe.map((what) => what.split(" ")[0] ?? "");
  const wanted = [...graph.nodes.values()].filter(({ name, body }) => !body || last.has(name.split(".").at(-1)));
  await full.locate([...wanted.map(({ name }) => name), ...all.names, ...flagged]);
  const numbers = new Map([...graph.nodes].map(([id, { name }]) => [full.of(name), id]));
  if (numbers.size !== graph.nodes.size || asked.some(({ name }) => !numbers.has(name))) return false;
  const rests = isClosed ? new Map<number, Assumptions>() : await restsOf(graph, all, full, coq);
  if (rests === null) return false;
  const found = assumptionsOf(
    graph,
    asked.map(({ name }) => numbers.get(name) ?? 0),
    rests,
  );
  const union = (of: (one: Assumptions) => readonly string[]): Set<string> => new Set([...found.values()].flatMap(of));
  const names = new Set(all.names.map((name) => full.of(name)));
  if (
    !isSame(
      names,
      union((one) => one.names),
    ) ||
    !isSame(
      new Set(all.unsafe),
      union((one) => one.unsafe),
    )
  )
    return false;
  for (const one of asked) {
    const id = numbers.get(one.name) ?? 0;
    const { names: axioms, unsafe } = found.get(id) as Assumptions;
    tell(asking, one, axioms, unsafe, true, new Set(request.own));
    const stated = new Set(one.mentions);
    for (const to of (graph.named.get(id) ?? []).map((other) => full.of(graph.nodes.get(other)?.name ?? "")))
      if (own.has(to) && to !== one.name)
        say({ t: "edge", from: one.key, to, part: stated.has(to) ? "statement" : "proof", basis: "kernel" });
  }
  return true;
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}

/** restsOf tells what each node brings that is an axiom, has no body, or has a switch off. A module seals some: these have no body to see, and Coq
 *  is asked of each alone.
 *  @returns null when something cannot be told */
async function restsOf({ nodes }: CoqGraph, all: Assumptions, full: FullNames, coq: Coq): Promise<ReadonlyMap<number, Assumptions> | null> {
  const axioms = new Set(all.names.map((name) => full.of(name)));
  const rests = new Map<number, Assumptions>();
  const sealed: { readonly id: number; readonly name: string }[] = [];
  for (const [id, { name, body }] of nodes) {
    const whole = full.of(name);
    const unsafe = all.unsafe.filter((what) => full.of(what.split(" ")[0] ?? "") === whole);
    if (axioms.has(whole)) rests.set(id, { names: [whole], unsafe });
    else if (!body) sealed.push({ id, name: whole });
    else if (unsafe.length > 0) rests.set(id, { names: [], unsafe });
  }
  const answers = await coq.ask(sealed.map(({ name }) => coq.tuple([name]).question));
  for (const [at, { id }] of sealed.entries()) {
    const said = readAssumptions(answers[at] ?? "");
    if (said === null) return null;
    await full.locate(said.names);
    rests.set(id, { names: said.names.map((name) => full.of(name)), unsafe: said.unsafe });
  }
  return rests;
}

/** @param first what was said of all together */
async function tellBySplitting(
  asking: Asking,
  coq: Coq,
  full: FullNames,
  asked: readonly AskedDeclaration[],
  first: Assumptions | null,
): Promise<void> {
  const { request, say } = asking;
  const told: { readonly group: readonly AskedDeclaration[]; readonly found: Assumptions }[] = [];
  const isOwn = isOwnOf(asking);
  const allowed = new Set(request.allowed);
  let groups: (readonly AskedDeclaration[])[] = [asked];
  let answers: (Assumptions | null)[] = [first];
  while (groups.length > 0) {
    await full.locate(answers.flatMap((one) => one?.names ?? []));
    const next: (readonly AskedDeclaration[])[] = [];
    for (const [at, group] of groups.entries()) {
      const found = answers[at] ?? null;
      // Where the policy allows all that a file rests on, each theorem of it rests on at most that.
      const oneFile = new Set(group.map(({ path }) => path)).size === 1;
      const enough =
        oneFile &&
        found !== null &&
        found.unsafe.length === 0 &&
        found.names.every((name) => allowed.has(full.of(name)) && !isOwn(full.of(name)));
      if (found !== null && (group.length === 1 || enough)) told.push({ group, found });
      else if (group.length > 1) next.push(...split(group));
      else
        for (const one of group)
          say({ t: "check", path: one.path, decl: one.key, state: "unsupported", log: "Coq did not say what it rests on." });
    }
    groups = next;
    const said = await coq.ask(groups.map((group) => coq.tuple(group.map(({ name }) => name)).question));
    answers = said.map((text) => readAssumptions(text ?? ""));
  }
  const own = new Set(request.own);
  for (const { group, found } of told) {
    const names = found.names.map((name) => full.of(name));
    for (const one of group) tell(asking, one, names, found.unsafe, group.length === 1 || names.length === 0, own);
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
function tellUses({ request, moduleOf, say }: Asking, asked: readonly AskedDeclaration[]): void {
  const known = new Set([...request.own, ...asked.map(({ name }) => name)]);
  for (const [path, some] of Map.groupBy(asked, (one) => one.path)) {
    const glob = globOf(join(request.root, `${path}o`));
    // Places in a file that loads others are places in these, too: nothing follows from them.
    if (!existsSync(glob) || namedByLoad(readFileSync(join(request.root, path), "utf8")).length > 0) continue;
    const keys = new Map(some.map(({ name, key }) => [name, key]));
    const uses = readCoqUses(readGlob(readFileSync(glob, "utf8")), readFileSync(join(request.root, path)), moduleOf(path));
    for (const { from, to, part } of uses) {
      const key = keys.get(from);
      if (key !== undefined && known.has(to)) say({ t: "edge", from: key, to, part, basis: "source" });
    }
  }
}
