/** The commands, each loaded when it is run. */
import { lazily } from "#generator/files";

export const runBuild = lazily(async () => (await import("./build.ts")).runBuild);
export const printConfigSchema = lazily(async () => (await import("./config.ts")).printConfigSchema);
export const runConfigCheck = lazily(async () => (await import("./config.ts")).runConfigCheck);
export const runInit = lazily(async () => (await import("./init.ts")).runInit);
export const writeLibrary = lazily(async () => (await import("./init.ts")).writeLibrary);
export const runPlan = lazily(async () => (await import("./plan.ts")).runPlan);
export const runPrune = lazily(async () => (await import("./prune.ts")).runPrune);
export const runRegistryCheck = lazily(async () => (await import("./registry.ts")).runRegistryCheck);
export const runSchedule = lazily(async () => (await import("./every.ts")).runSchedule);
export const runServe = lazily(async () => (await import("./serve.ts")).runServe);
export const runVerify = lazily(async () => (await import("./verify.ts")).runVerify);
