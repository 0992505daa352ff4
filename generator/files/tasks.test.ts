import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { together } from "./tasks.ts";

/** Node ends a process at a rejection that nobody hears: here it is counted instead. */
function countUnheard(t: TestContext): () => number {
  let unheard = 0;
  const listener = (): void => void unheard++;
  process.on("unhandledRejection", listener);
  t.after(() => process.off("unhandledRejection", listener));
  return () => unheard;
}

test("the first failure is thrown, after everything that was started has ended", async (t) => {
  const unheard = countUnheard(t);
  const ended: string[] = [];
  await assert.rejects(
    together(async ({ run }) => {
      void run(async () => {
        await wait(60);
        ended.push("slow");
      });
      const broken = run(async () => {
        await wait(10);
        throw new Error("first");
      });
      // Nobody awaits it, and it fails because the other did.
      void run(async () => {
        await broken;
      });
      void run(async () => {
        await wait(30);
        throw new Error("second");
      });
      await wait(20);
      ended.push("work");
    }),
    { message: "first" },
  );
  assert.deepEqual(ended, ["work", "slow"]);
  await wait(20);
  assert.equal(unheard(), 0);
});

test("a failure before the work has awaited anything is thrown as well", async (t) => {
  const unheard = countUnheard(t);
  await assert.rejects(
    together(({ run }) => {
      void run(() => {
        throw new Error("at once");
      });
      return wait(5);
    }),
    { message: "at once" },
  );
  assert.equal(unheard(), 0);
});

test("at the first failure those that go on are told", async () => {
  let rounds = 0;
  await assert.rejects(
    together(async ({ run, signal }) => {
      void run(async () => {
        for (; !signal.aborted; rounds++) await wait(1);
      });
      await wait(20);
      throw new Error("stop");
    }),
    { message: "stop" },
  );
  assert.ok(rounds > 0);
});

test("what was started by what was started is waited for, and the value is given", async () => {
  const ended: number[] = [];
  const value = await together(async ({ run }) => {
    void run(async () => {
      await wait(10);
      void run(async () => {
        await wait(10);
        ended.push(2);
      });
      ended.push(1);
    });
    return "value";
  });
  assert.equal(value, "value");
  assert.deepEqual(ended, [1, 2]);
});
