/** The leak rule says what of the internal view may not stand in a public byte, and finds it there.
 *  It gives the matcher to builds and the check to `verify`.
 *  It looks at bytes and decoded texts, and says in the report what it has looked through. */
export { LEAK_HANDLERS, LEAK_STAMPS } from "./answers.ts";
export { readTexts } from "./decode.ts";
export { exposureCheck } from "./exposure-check.ts";
export { digestOfChanges, type Exposed, nameExposed, openGating, openKept } from "./exposure.ts";
export { findGatedFacts, type GatedFacts, type GatedSecrets, gatedSecrets, MIN_SECRET_CHARACTERS, type SecretKind } from "./gated.ts";
export { leakCheck, type LeakSources } from "./leak-check.ts";
export { indexFiles, snapshotFiles } from "./leak-files.ts";
export { type Allowance, findLeaks, type Leak, LEAK_RULE, type LeakOptions, type LeakFindings } from "./leaks.ts";
export { areSuspect, type Look, rememberLook, resume } from "./look.ts";
export { REDACTION_CHECKS } from "./redacted-check.ts";
export { LEAK_ROWS } from "./rows.ts";
export { scanFile } from "./scan.ts";
export { Sketch, type SketchBits } from "./sketch.ts";
export { LEAK_INPUT, LeakSummary } from "./summary.ts";
