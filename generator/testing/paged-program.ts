/** The command line as a process that builds with the pages that readers get, and otherwise with plain parts: for tests whose subject is
 *  what commands do one after the other.
 *
 *      node generator/testing/paged-program.ts COMMAND … */
import { main } from "../cli.ts";
import { useParts } from "../publish/parts.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";

useParts(PAGED_PARTS);
await main();
