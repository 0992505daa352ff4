/** The commands room runs what the command line of the core offers; each command is a file.
 *  It gives the functions that `cli.ts` calls, and the options that all commands share.
 *  A command prints, and sets exit codes; what it does lies in the rooms below. */
export { type CommonOptions, configOf, findConfigOf, FOUND, openConfigured, print, REFUSED } from "./options.ts";
export { parsePeriod } from "./period.ts";
export {
  printConfigSchema,
  runBuild,
  runConfigCheck,
  runInit,
  runPlan,
  runPrune,
  runRegistryCheck,
  runSchedule,
  runServe,
  runVerify,
  writeLibrary,
} from "./register.ts";
