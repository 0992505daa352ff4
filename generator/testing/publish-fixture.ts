/** A library with a shelf, as a process: tests of folders that may not import the generator start it.
 *
 *      node generator/testing/publish-fixture.ts DIR
 *
 *  writes both into DIR and prints one JSON document, a `Fixture`. */
import { useParts } from "../publish/parts.ts";
import { publishFixture } from "./library.ts";
import { PAGED_PARTS } from "./plain-parts.ts";

useParts(PAGED_PARTS);
process.stdout.write(`${JSON.stringify(await publishFixture(process.argv[2] ?? "."))}\n`);
