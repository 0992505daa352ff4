/** The registry annex reads records out of proof sources, asks real provers about them in a sandbox, and signs what they said.
 *  It gives `REGISTRY` to the core, and the commands of `registry` to the command line.
 *  No prover runs while a library is built or served, and no state follows from a person's word. */
export { runRegistryDiff } from "./diff-command.ts";
export { runRegistryImport } from "./import-command.ts";
export { runRegistryInit } from "./init-command.ts";
export { runAxioms, runExplain, runGraph } from "./look-command.ts";
export { printSchema, runAdapters, runRecheck, runSourcesCheck } from "./recheck-command.ts";
export { REGISTRY } from "./register.ts";
export { runRegistryScan } from "./scan-command.ts";
