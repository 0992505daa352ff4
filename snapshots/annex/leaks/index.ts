/** The face of the leak rule. */
export { readTexts } from "./decode.ts";
export { findGatedFacts, type GatedFacts, type GatedSecrets, gatedSecrets, type SecretKind } from "./gated.ts";
export { type Exposed, openGating } from "./exposure.ts";
export { snapshotFiles } from "./leak-files.ts";
export { type Allowance, findLeaks, type Leak, LEAK_RULE, type LeakOptions, type LeakReport, type SharedPassages } from "./leaks.ts";
export { areSuspect, type Look, rememberLook, resume } from "./look.ts";
export { scanFile } from "./scan.ts";
export { LEAK_INPUT, LeakSummary } from "./summary.ts";
export { Sketch, type SketchBits } from "./sketch.ts";
