/** The axioms of Lean itself, by what they say. An export names an axiom and holds all that stands below it: `propext` may be another axiom in it, or
 *  be about another `Eq`. */
import { sha256 } from "#snapshots/digest";
import type { LeanExport } from "./lean-export.ts";

/** Digests of the axioms and of all that their statements name. */
const OWN: ReadonlyMap<string, string> = new Map([
  ["propext", "90c02931fff6820fd12c17543fa08345db7523876f9460c3ebdf076daff14795"],
  ["Classical.choice", "754e5cc1ae94be54c2d79df6c80ccffa75ddf7f89ede77d783b7ea9c4a32cd9e"],
  ["Quot.sound", "9096fb096506c9ae9b77f8b5e527616500043bc13173ba547239f2f09d02e384"],
]);

/** isLeansOwn tells whether an axiom of an export is the one that Lean has by this name. */
export function isLeansOwn(name: string, constants: LeanExport["constants"]): boolean {
  const digest = OWN.get(name);
  return digest !== undefined && digest === digestAxiom(name, constants);
}

/** digestAxiom digests what an axiom states, with all that stands below. */
function digestAxiom(name: string, constants: LeanExport["constants"]): string {
  const below = new Set([name]);
  for (const one of below) for (const other of constants.get(one)?.statement ?? []) below.add(other);
  const rows = [...below].sort().map((one) => `${constants.get(one)?.kind ?? ""} ${one} ${constants.get(one)?.shape ?? ""}`);
  return sha256(rows.join("\n"));
}
