/** A comparison of Coq's list of a file with what our reader of its text saw. What a theorem rests on Coq is asked itself; where it stands the reader
 *  alone says, and who is shown another place reads another statement there. */
import { openLines } from "#snapshots/blocks";
import type { GlobDeclaration } from "./coq-glob.ts";
import { scanCoq } from "./coq.ts";

/** findElsewhere lists theorems that Coq has in another line than our reader, by their name in the file. The file loads no others: places in these
 *  are none in it. */
export function findElsewhere(source: Uint8Array, declared: readonly GlobDeclaration[]): ReadonlyMap<string, number> {
  const { lineAt } = openLines(Buffer.from(source).toString("latin1"));
  const proofs = declared.filter(({ kind }) => kind === "prf");
  const places = Map.groupBy(proofs, ({ inner, name }) => (inner === "<>" ? name : `${inner}.${name}`));
  return new Map(
    scanCoq(new TextDecoder().decode(source)).flatMap(({ class: kind, name, line }): [string, number][] => {
      const there = kind === "theorem" ? (places.get(name) ?? []).map(({ at }) => lineAt(at)) : [];
      const last = there.at(-1);
      return last === undefined || there.includes(line) ? [] : [[name, last]];
    }),
  );
}
