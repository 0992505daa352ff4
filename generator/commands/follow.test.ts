/** A server follows what others publish without being asked: a builder and a server, each a process of its own. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PLAIN_CLI, type ServingProcess, startServing } from "../testing/serving-process.ts";
import { writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { openConfig } from "../config/config.ts";

/** The bound that is promised; milliseconds. */
const BOUND = 2_000;

const dir = mkdtempSync(join(tmpdir(), "proofshelf-follow-"));
const file = join(dir, "proofshelf.yaml");
let server: ServingProcess;

const config = (visibility: "public" | "email-gated"): string => `title: Followed
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: plans, prefix: plans/, title: Plans, visibility: ${visibility} }
embeddings: { kind: none }
`;

/** Returns when the process has ended, which is after the publication. */
async function publish(): Promise<void> {
  const child = spawn(process.execPath, [PLAIN_CLI, "build", "--config", file], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "exit")) as [number];
  assert.equal(code, 0, said);
}

const statusOf = async (path: string): Promise<number> => {
  const response = await fetch(server.url + path, { redirect: "manual" });
  await response.body?.cancel();
  return response.status;
};
const served = async (): Promise<string | null> => (await fetch(`${server.url}/api/catalog`)).headers.get("x-snapshot");
const pointer = (): string => (JSON.parse(readFileSync(join(dir, "shelf/public/current.json"), "utf8")) as { snapshot: string }).snapshot;

before(async () => {
  await writeFiles(dir, [
    ["proofshelf.yaml", config("public")],
    ["library/notes/a.md", "# A\n\nA note.\n"],
    ["library/plans/garden.md", "# The garden\n\nWhere the heliotrope stands.\n"],
  ]);
  await publish();
  server = await startServing(["--no-rate-limits", "--config", file]);
  assert.equal(await served(), pointer());
});
after(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test("what was published while nobody asked is what the first reader gets", async () => {
  await writeFiles(dir, [["library/notes/b.md", "# B\n\nAnother note.\n"]]);
  await publish();
  await wait(BOUND);
  assert.equal(await statusOf("/objects/notes/b.md"), 200);
  assert.equal(await served(), pointer());
  const { sequence } = (await (await fetch(`${server.url}/health`)).json()) as { sequence: number };
  assert.equal(sequence, 2);
});

test("what is gated is gone when it was not asked for, and never damaged while it is", async () => {
  const first = pointer();
  // One that nothing tells, and that has looked already.
  const untold = await openFixtureView(await openConfig(file));
  assert.equal((await ask(untold, `/at/${first}/objects/notes/a.md`)).status, 200);
  await writeFiles(dir, [["proofshelf.yaml", config("email-gated")]]);
  await publish();
  assert.equal((await ask(untold, `/at/${first}/objects/notes/a.md`)).status, 410, "what has gone is looked for in what is served now");
  await wait(BOUND);
  assert.equal(await statusOf(`/at/${first}/objects/notes/a.md`), 410, "the first request after it");
  assert.equal(await statusOf("/objects/plans/garden.md"), 404);

  // Once more, with readers.
  await writeFiles(dir, [["proofshelf.yaml", config("public")]]);
  await publish();
  await wait(BOUND);
  const open = pointer();
  assert.equal(await statusOf(`/at/${open}/objects/plans/garden.md`), 200);
  await writeFiles(dir, [["proofshelf.yaml", config("email-gated")]]);
  const building = publish();
  const seen = new Map<string, Set<number>>();
  let done = false;
  void building.finally(() => (done = true));
  const paths = [
    "/objects/plans/garden.md",
    `/at/${open}/objects/plans/garden.md`,
    `/at/${open}/browse/plans/`,
    "/object/plans/garden.md/",
    "/browse/plans/",
    "/api/list?prefix=plans/",
    "/api/search?q=heliotrope",
    "/objects/notes/a.md",
    "/api/catalog",
  ];
  const readers = paths.map(async (path) => {
    const statuses = seen.get(path) ?? new Set<number>();
    seen.set(path, statuses);
    for (; !done; await wait(5)) statuses.add(await statusOf(path));
  });
  await Promise.all([building, ...readers]);
  await wait(BOUND);
  for (const [path, statuses] of seen)
    assert.deepEqual(
      [...statuses].filter((status) => status >= 500),
      [],
      path,
    );
  assert.equal(await statusOf(`/at/${open}/objects/plans/garden.md`), 410);
});
