/** The registry annex reads records out of proof sources, asks real provers about them in a sandbox, and signs what they said.
 *  It gives `REGISTRY` to the core, and the commands of `registry` to the command line.
 *  No prover runs while a library is built or served, and no state follows from a person's word. */
export {
  printSchema,
  REGISTRY,
  REGISTRY_KEYS,
  runAdapters,
  runAdvisories,
  runAxioms,
  runExplain,
  runGraph,
  runRecheck,
  runRegistryDiff,
  runRegistryImport,
  runRegistryInit,
  runRegistryScan,
  runRegistrySign,
  runSourcesCheck,
} from "./register.ts";
