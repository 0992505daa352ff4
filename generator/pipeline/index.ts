/** The pipeline room is a build: list, read, project, gate, write, publish, as steps that say what each needs and makes.
 *  It takes a configuration and gives the summary of what was published.
 *  Nothing is written before the gates, and nothing is served before all of it is there. */
export type { Annexes, BuildAnnex, BuildEnd } from "./annexes.ts";
export { build, type BuildOptions } from "./build.ts";
export type { Accepted, Weaker } from "./gates.ts";
export type { WithdrawnSnapshot } from "./made.ts";
export { gatingDigest } from "./plan.ts";
export { type Preview, previewBuild } from "./preview.ts";
export type { Views } from "./project.ts";
export { type BuildSummary, noteFailure } from "./summary.ts";
