/** A reporter of node:test for files that share a process: a line for each test, how it ended, whose it is and what the process took since
 *  the test before, and `end` behind the last. What the modules took to load is of the first. */
import type { TestEvent } from "node:test/reporters";
import { processorSeconds } from "./processor.ts";

export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let before = 0;
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const skipped = type === "test:pass" && (data.skip !== undefined || data.todo !== undefined);
    const now = processorSeconds();
    yield `${type === "test:fail" ? "failed" : skipped ? "skipped" : "passed"}\t${data.file ?? ""}\t${now - before}\n`;
    before = now;
  }
  yield "end\n";
}
