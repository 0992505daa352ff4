/** A reporter of node:test for files that share a process: a line for each test, how it ended and whose it is, and `end` behind the last. */
import type { TestEvent } from "node:test/reporters";

export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const skipped = type === "test:pass" && (data.skip !== undefined || data.todo !== undefined);
    yield `${type === "test:fail" ? "failed" : skipped ? "skipped" : "passed"}\t${data.file ?? ""}\n`;
  }
  yield "end\n";
}
