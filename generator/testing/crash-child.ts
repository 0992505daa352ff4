/** A build that waits for the word to begin, so that whoever kills it can choose the moment: for the crash test. */
import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ build }, { openConfig }] = await Promise.all([import("./whole.ts"), import("../config/config.ts")]);
const config = await openConfig(process.argv[2] ?? "");
process.on("message", () => {
  void build(config, { progress: { step() {}, end() {} } }).then(
    ({ snapshot, sequence }) => process.send?.({ snapshot, sequence }, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.("ready");
