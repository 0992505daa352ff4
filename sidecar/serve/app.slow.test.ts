import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { type Running, startSidecar } from "./app-fixture.ts";
import { tryCredentials, trySpellings } from "./attacks-fixture.ts";

let running: Running;
before(async () => {
  running = await startSidecar();
});
after(async () => {
  await running.listening.close();
  rmSync(running.views.folder, { recursive: true });
});

test("every gated route, method and kind of bad credential is refused before anything is looked up", () => tryCredentials(running, true));

test("no spelling of a gated path gives a stranger a gated byte, by any method", () => trySpellings(running, true));
