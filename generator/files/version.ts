import { readFileSync } from "node:fs";

/** VERSION is the version of this program, as package.json has it. */
export const VERSION: string = (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
  .version;
