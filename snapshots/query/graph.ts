/** The records that a record uses and those that use it, two steps far: GET /api/cubs/{id}/graph and the picture on a record's page. */
import { judgedRecord, relationsOf, type ViewData } from "#snapshots/format";
import type { CubRecord, RecordGraph } from "#snapshots/schema";

const STEPS = 2;
const MAX_NODES = 60; // a picture of more says nothing

/** neighbourhood makes the graph around a record. Nodes stand in the order of their steps, then of the edges that lead to them; edges are those
 *  among these nodes. */
export function neighbourhood(data: ViewData, start: CubRecord): RecordGraph {
  const { recordById } = relationsOf(data);
  const steps = new Map<string, number>([[start.id, 0]]);
  const left = new Set<string>();
  for (const side of [1, -1]) {
    let border = [start];
    for (let step = 1; step <= STEPS; step++) {
      const next: CubRecord[] = [];
      for (const record of border)
        for (const { id } of (side > 0 ? record.uses : record.used_by)?.edges ?? []) {
          const found = id === undefined ? undefined : recordById.get(id);
          if (found === undefined || steps.has(found.id)) continue;
          if (steps.size >= MAX_NODES) left.add(found.id);
          else {
            steps.set(found.id, side * step);
            next.push(found);
          }
        }
      border = next;
    }
  }
  const nodes = [...steps].flatMap(([id, step]) => {
    const record = recordById.get(id);
    return record === undefined ? [] : [{ id, name: record.theorem_name, step, ...judgedRecord(record) }];
  });
  const edges = nodes.flatMap(({ id }) =>
    (recordById.get(id)?.uses?.edges ?? []).flatMap(({ id: to, from: part, basis }) =>
      to === undefined || !steps.has(to) ? [] : [{ from: id, to, part, basis }],
    ),
  );
  const named = start.uses?.edges.filter(({ id }) => id !== undefined && recordById.has(id)).length ?? 0;
  const other = (start.uses?.count ?? 0) - named;
  return { id: start.id, nodes, edges, left_out: left.size, without_record: other };
}
