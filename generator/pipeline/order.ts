/** The order of publishing. Nothing is written before the gates, nothing published before the look for leaks, and nothing of what was
 *  published before goes while it is served. */
import { ShelfError } from "#snapshots/errors";
import type { AnnexStep } from "./annexes.ts";
import { type Given, type Step, step, type Work } from "./made.ts";
import { gate, keep, list, projectViews, publishViews, readAll, write } from "./steps.ts";

/** A core step, or the place of annexes' steps. */
const ORDER: readonly [Step<Given>, ...(Step<Work> | AnnexStep["at"])[]] = [
  list,
  readAll,
  projectViews,
  gate,
  "before write",
  write,
  "before publish",
  publishViews,
  "after publish",
  keep,
];

/** orderSteps puts the steps of annexes into their places among the core's.
 *  @param steps in the order of their annexes
 *  @returns the first step, which says whether there is anything to do, and all others */
export function orderSteps(steps: readonly AnnexStep[]): readonly [Step<Given>, ...Step<Work>[]] {
  // A step that is left out may be one that looks for leaks.
  const lost = steps.find(({ at }) => !ORDER.includes(at));
  if (lost !== undefined) throw new ShelfError("internal", `The order of a build has no place "${lost.at}" for the step "${lost.name}".`);
  const [first, ...rest] = ORDER;
  return [first, ...rest.flatMap((one) => (typeof one === "string" ? steps.filter(({ at }) => at === one).map(toStep) : [one]))];
}

function toStep(one: AnnexStep): Step<Work> {
  switch (one.at) {
    case "before write":
      return step(one.name, ["facts", "reading", "views", "removal"], ["removal"], one.run);
    case "before publish":
      return step(one.name, ["facts", "site", "read", "views", "plan", "written", "inputs"], ["inputs"], one.run);
    case "after publish":
      return step(one.name, ["facts", "removal", "written", "changes"], [], one.run);
  }
}
