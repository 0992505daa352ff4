/** Coq's own graph of what each constant names, as the plugin dpdgraph writes it: exact axioms of every declaration by one question, and uses that
 *  the kernel knows. The plugin is an optional part of Coq's; a graph that does not say what `Print Assumptions` says of all together is not taken. */
import type { Assumptions } from "./coq-ask.ts";
import { openReach } from "./reach.ts";

type GraphNode = { readonly name: string; readonly body: boolean };
/** CoqGraph has nodes by their number, and for each the nodes that it names. Names are as short as Coq may write them. */
export type CoqGraph = { readonly nodes: ReadonlyMap<number, GraphNode>; readonly named: ReadonlyMap<number, readonly number[]> };

/** graphOf gives the commands that load the plugin and write the graph of a definition into a file. */
export function graphOf(definition: string, file: string): string {
  return `Require dpdgraph.dpdgraph. Set DependGraph File ${JSON.stringify(file)}. Print DependGraph ${definition}.`;
}

/** graphOfModules gives the same commands for all that some modules declare, and for nothing else. */
export function graphOfModules(modules: readonly string[], file: string): string {
  return `Require dpdgraph.dpdgraph. Set DependGraph File ${JSON.stringify(file)}. Print FileDependGraph ${modules.join(" ")}.`;
}

/** readGraph reads a file of the plugin. @returns null when a line is none of the format's */
export function readGraph(text: string): CoqGraph | null {
  const nodes = new Map<number, GraphNode>();
  const named = new Map<number, number[]>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, id = "", name = "", members = ""] = /^N: (\d+) "([^"]+)" \[(.*)\];$/.exec(line) ?? [];
    if (id !== "") {
      const path = /\bpath="([^"]*)"/.exec(members)?.[1] ?? "";
      nodes.set(Number(id), { name: path === "" ? name : `${path}.${name}`, body: !/\bbody=no\b/.test(members) });
      continue;
    }
    const [, from = "", to = ""] = /^E: (\d+) (\d+) \[/.exec(line) ?? [];
    if (from === "") return null;
    const list = named.get(Number(from));
    if (list === undefined) named.set(Number(from), [Number(to)]);
    else list.push(Number(to));
  }
  return nodes.size === 0 ? null : { nodes, named };
}

/** assumptionsOf finds what each of some nodes rests on.
 *  @param rests what a node without a body, or with a switch off, brings: its own name, what `Print Assumptions` says of it where it is sealed in
 *  a module, what was switched off */
export function assumptionsOf(
  { nodes, named }: CoqGraph,
  starts: readonly number[],
  rests: ReadonlyMap<number, Assumptions>,
): Assumptions[] {
  const found = openReach(
    named,
    [...rests].filter(([id]) => nodes.has(id)).map(([id]) => id),
  );
  return starts.map((start) => unionOf(found(start).flatMap((id) => rests.get(id) ?? [])));
}

export function unionOf(all: readonly Assumptions[]): Assumptions {
  return { names: [...new Set(all.flatMap(({ names }) => names))], unsafe: [...new Set(all.flatMap(({ unsafe }) => unsafe))] };
}
