/** The cost of each optional part of the program: on the disk, and to load, where a use of it begins. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PARTS, partSizes } from "./part-sizes.ts";
import { type Figure, median } from "./figure.ts";
import { measure } from "./measure.ts";

const MAX_LOAD_S = 0.3;
const LIMIT_S = 60;
const ROUNDS = 3;

export async function benchParts(): Promise<readonly Figure[]> {
  const empty = await loadSeconds([]);
  const sizes = [...partSizes()].sort(([, a], [, b]) => b - a);
  const figures: Figure[] = [];
  for (const [part, bytes] of sizes) {
    figures.push({
      figure: `${part}, to load`,
      value: Math.max(0, (await loadSeconds((PARTS[part] ?? []).filter(isModule))) - empty),
      unit: "s",
      target: { at: "most", value: MAX_LOAD_S },
      note: `of processor; ${(bytes / 1e6).toFixed(0)} MB on the disk`,
    });
  }
  return figures;
}

/** Node itself is started, and not imported. */
function isModule(name: string): boolean {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false;
  }
}

/** @returns seconds of processor of a Node that imports these packages */
async function loadSeconds(packages: readonly string[]): Promise<number> {
  const code = packages.map((name) => `await import(${JSON.stringify(name)});`).join("");
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    costs.push(
      (await measure([process.execPath, "--input-type=module", "-e", code], { cwd: import.meta.dirname, limit_s: LIMIT_S })).cpu_s,
    );
  return median(costs);
}
