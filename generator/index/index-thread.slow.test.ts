import { test } from "node:test";
import { closeWhileItWorks } from "./closing-fixture.ts";

test("whenever a thread is closed while the engine works, it ends when that rests, and takes nobody along", (t) => {
  closeWhileItWorks(
    t,
    Array.from({ length: 13 }, (_, at) => at * 200),
  );
});
