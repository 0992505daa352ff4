/** The graph of who uses whom among records, as text for other programs. Records that a view does not show are counted and not named. */
import { canonicalJson } from "#snapshots/digest";
import { recordStanding } from "#snapshots/format";
import type { CubRecord, RecordEdge } from "#snapshots/schema";

const AT_ONCE = 200; // records in a chunk

type Edge = { readonly from: string; readonly to: string; readonly part: RecordEdge["from"]; readonly basis: RecordEdge["basis"] };

/** Edges between these records, from who uses to what is used; and how many more there are. */
function edgesOf({ id, uses }: CubRecord, shown: ReadonlySet<string>): { readonly edges: readonly Edge[]; readonly others: number } {
  const edges = (uses?.edges ?? []).flatMap(({ id: to, from: part, basis }): Edge[] =>
    to === undefined || !shown.has(to) ? [] : [{ from: id, to, part, basis }],
  );
  return { edges, others: (uses?.count ?? 0) - edges.length };
}

export function* formatGraphNdjson(records: readonly CubRecord[]): Generator<string> {
  const shown = new Set(records.map(({ id }) => id));
  for (const some of inChunks(records))
    yield some
      .map(({ id, module, theorem_name: name, kind, axioms = null, ...rest }) =>
        lineOf({ t: "node", id, name: `${module}.${name}`, kind, standing: recordStanding(rest), axioms }),
      )
      .join("");
  let [edges, others] = [0, 0];
  for (const some of inChunks(records)) {
    const found = some.map((record) => edgesOf(record, shown));
    for (const one of found) [edges, others] = [edges + one.edges.length, others + one.others];
    yield found.flatMap((one) => one.edges.map((edge) => lineOf({ t: "edge", ...edge }))).join("");
  }
  yield lineOf({ t: "end", nodes: records.length, edges, without_record: others });
}

export function* formatGraphDot(records: readonly CubRecord[]): Generator<string> {
  const shown = new Set(records.map(({ id }) => id));
  yield "digraph records {\n  rankdir=LR; node [shape=box];\n";
  for (const some of inChunks(records))
    yield some
      .map(
        ({ id, theorem_name: name, ...rest }) => `  ${quoted(id)} [label=${quoted(name)}, tooltip=${quoted(recordStanding(rest).says)}];\n`,
      )
      .join("");
  let others = 0;
  for (const some of inChunks(records)) {
    const found = some.map((record) => edgesOf(record, shown));
    for (const one of found) others += one.others;
    yield found
      .flatMap(({ edges }) =>
        edges.map(({ from, to, part }) => `  ${quoted(from)} -> ${quoted(to)}${part === "proof" ? " [style=dashed]" : ""};\n`),
      )
      .join("");
  }
  yield `  // ${others} more uses are not named here\n}\n`;
}

function lineOf(row: object): string {
  return `${canonicalJson(row)}\n`;
}

/** A stranger's text between quotes of DOT, on one line. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[\p{C}\s]+/gu, " ").replaceAll(/["\\]/g, "\\$&")}"`;
}

function* inChunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += AT_ONCE) yield list.slice(at, at + AT_ONCE);
}
