/** The commands room runs what the command line of the core offers; each command is a file.
 *  It gives the functions that `cli.ts` calls, and the options that all commands share.
 *  A command prints, and sets exit codes; what it does lies in the rooms below. */
export { runBuild } from "./build.ts";
export { printConfigSchema, runConfigCheck } from "./config.ts";
export { parsePeriod } from "./every.ts";
export { runInit } from "./init.ts";
export { type CommonOptions, configOf, findConfigOf, openConfigured, print } from "./options.ts";
export { runPlan } from "./plan.ts";
export { runPrune } from "./prune.ts";
export { runRegistryCheck } from "./registry.ts";
export { runSchedule } from "./schedule.ts";
export { runServe } from "./serve.ts";
export { FOUND, runVerify } from "./verify.ts";
