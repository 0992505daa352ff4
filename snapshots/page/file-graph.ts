/** Files and what they rest on: the uses of all records drawn together, so that one sees how a development is built. */
import type { CubRecord } from "#snapshots/schema";
import { fileOf, theoremShelf } from "./theorem-shelf.ts";

/** Files of a picture; one of more says nothing. */
const MAX_FILES = 60;

/** fileGraph puts each file one step behind the last of those that it uses. An edge that follows from others is left out.
 *  @returns null where no file uses another, or there are too many */
export function fileGraph(cubs: readonly CubRecord[]) {
  const keyOf = ({ repo, file }: { readonly repo: string; readonly file: string }): string => JSON.stringify([repo, file]);
  const { rows } = theoremShelf(cubs, { marks: 0 });
  const fileOfRecord = new Map(cubs.map((record) => [record.id, keyOf({ repo: record.repo, file: fileOf(record) })]));
  const uses = new Map(rows.map((row) => [keyOf(row), new Set<string>()]));
  for (const { id, uses: used } of rows.length > MAX_FILES ? [] : cubs)
    for (const { id: other = "" } of used?.edges ?? []) {
      const [from, to] = [fileOfRecord.get(id) ?? "", fileOfRecord.get(other)];
      if (to !== undefined && to !== from) uses.get(from)?.add(to);
    }
  const steps = new Map<string, number>();
  const stepOf = (file: string): number => {
    const known = steps.get(file);
    if (known !== undefined) return known;
    steps.set(file, 0); // files that use each other in a ring: whoever was first is
    const step = Math.max(-1, ...[...(uses.get(file) ?? [])].map(stepOf)) + 1;
    steps.set(file, step);
    return step;
  };
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(uses.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  const edges = [...uses].flatMap(([from, all]) =>
    [...all].filter((to) => ![...all].some((other) => other !== to && reaches(other, to))).map((to) => ({ from, to })),
  );
  const nodes = rows.map(({ file, repo, path, byStanding }) => {
    const count = (wanted: RegExp): number => byStanding.reduce((sum, { value, count: n }) => sum + (wanted.test(value) ? n : 0), 0);
    const id = keyOf({ repo, file });
    const name = file.split(file.includes("/") ? "/" : ".").at(-1) || repo;
    return { id, file, name, path, verified: count(/^verified$/), of: count(/^(?!defined|assumed)/), step: stepOf(id) };
  });
  return edges.length === 0 ? null : { nodes, edges };
}
