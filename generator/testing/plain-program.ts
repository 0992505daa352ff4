/** The command line as a process that builds with plain parts: for tests whose subject is the process, and not what its parts make.
 *
 *      node generator/testing/plain-program.ts COMMAND … */
import { main } from "../cli.ts";
import { useParts } from "../publish/parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";

useParts(PLAIN_PARTS);
await main();
