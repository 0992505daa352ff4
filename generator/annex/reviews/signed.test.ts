/** Reviews beside the checks of a real Coq: whose signature counts, and what a build says of those that are of nothing. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { generateKey, parseKey, parseSigningKey } from "../../../snapshots/log/index.ts";
import { openConfig } from "../../config/config.ts";
import { describeFindings } from "../../sources/index.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { build } from "../../testing/whole.ts";
import { seal } from "../registry/attest.ts";
import { runRegistrySign } from "../registry/sign-command.ts";
import { openSource, OWN, skip } from "../registry/source-fixture.ts";
import { stateReview } from "./reviews.ts";

test("a signed review counts by its key, a stranger's does not, and a build tells what is of nothing with file and line, also when nothing changed", {
  skip,
}, async (t) => {
  const { text: trusted } = parseKey(OWN.publicKey);
  const source = openSource(t, `reviews: [./reviews.yaml]\nchecks: { trust: ["${trusted}"] }\n`);
  source.put({ "src/A.v": "Theorem t : 0 = 0. Proof. reflexivity. Qed.\n", "reviews.yaml": "reviews: []\n" });
  await source.recheck();
  const [{ id, meaning } = assert.fail()] = await source.records();
  const said = (record: string, of: string, by = "Ada"): string =>
    `  - { record: ${record}, meaning: ${of}, by: ${by}, says: faithful, on: 2025-11-28 }\n`;
  const digest = meaning?.sha256 ?? assert.fail();
  source.put({ "reviews.yaml": `reviews:\n${said(id, digest)}${said("CUB-0404", digest)}${said(id, "f".repeat(64), "Bob")}` });
  const store = join(source.folder, "checks");
  const before = new Set(readdirSync(store));
  await runRegistrySign("Ada", { sources: join(source.folder, "registry.yaml"), json: true, quiet: true });
  await assert.rejects(
    runRegistrySign("Eve", { sources: join(source.folder, "registry.yaml") }),
    /No review is by "Eve"; there are some by Ada, Bob/,
  );
  const made = readdirSync(store).filter((name) => !before.has(name));
  assert.equal(made.length, 2);
  const review = { record: id, meaning: digest, by: "Eve", says: "doubted" as const, why: "it is too easy", on: "2025-11-28" };
  const strange = seal(stateReview(review, "https://eve.example"), parseSigningKey(generateKey("eve.example").privateKey));
  writeFileSync(join(store, `${sha256(strange)}.json`), strange);
  // One whose words were changed after it was signed is none.
  const forged = readFileSync(join(store, made[0] ?? ""), "utf8").replace(/"sig":"..../, '"sig":"AAAA');
  writeFileSync(join(store, `${sha256(forged)}.json`), forged);
  assert.deepEqual(
    (await source.records())[0]?.reviews?.map(({ by, says, signed, holds, attestation = "" }) => [
      by,
      says,
      signed,
      holds,
      attestation !== "",
    ]),
    [
      ["Ada", "faithful", true, true, true],
      ["Bob", "faithful", false, false, false],
      ["Eve", "doubted", false, true, true],
    ],
  );
  const evidence = {
    artifact: "t",
    kind: "coq",
    access: "public",
    path: "A.v",
    sha256: sha256(readFileSync(join(source.folder, "src/A.v"))),
  };
  const claims = JSON.stringify({ claims: [{ id: "c", title: "C", status: "scoped", scope: "s", statement: "s", evidence: [evidence] }] });
  await writeFiles(source.folder, [
    [
      "proofshelf.yaml",
      `baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
registry: { sources: ./registry.yaml }
claims: { path: ./claims.yaml }
embeddings: { kind: none }
`,
    ],
    ["library/notes/a.md", "# A\n"],
    ["claims.yaml", claims],
  ]);
  const config = await openConfig(join(source.folder, "proofshelf.yaml"));
  for (const time of ["first", "again"]) {
    const { registry } = await build(config, { progress: SILENT }, PLAIN_PARTS);
    const lines = describeFindings(registry).filter((line) => line.startsWith(source.folder));
    for (const says of [
      /reviews\.yaml:3: there is no record CUB-0404; its review is of nothing/,
      /reviews\.yaml:4: no check that lies here is of CUB-\d+ with the meaning ffff/,
      /checks\/[0-9a-f]{64}\.json:1: the review is signed by nobody who is trusted here, but by eve\.example/,
      /checks\/[0-9a-f]{64}\.json has a signature of own\.example that is not of it/,
    ])
      assert.ok(
        lines.some((line) => says.test(line)),
        `${time}: ${says}\n${lines.join("\n")}`,
      );
  }
  const view = await openFixtureView(config);
  for (const path of [
    `/registry/${id}/`,
    `/registry/${id}/index.md`,
    `/registry/${id}/badge.svg`,
    `/api/cubs/${id}`,
    `/api/cubs/${id}/graph`,
    `/api/digests/${evidence.sha256}`,
    "/registry/",
    "/claims/c/",
    "/claims/c/index.md",
    "/api/claims",
    `/search/?q=${id}`,
    `/api/search?q=${id}`,
    "/llms.txt",
    "/llms-full.txt",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/api/cubs.csv",
  ]) {
    const { status, text } = await ask(view, path);
    assert.equal(status, 200, path);
    for (const [name, short, whole] of [
      ["Ada", "statement read", "faithful"],
      ["Eve", "doubted", "doubted"],
    ] as const)
      assert.match(
        text,
        new RegExp(`${short} by ${name}|by[\\\\": ]+${name}[^]*says[\\\\": ]+${whole}|${short}: 1\\b|${short} by.*${name}`, "i"),
        `${path}: ${name}`,
      );
  }
  // A list that is refused is told by its name alone, since the snapshot says it to everybody.
  source.put({ "reviews.yaml": "reviews: [{ record: CUB-0001 }]\n" });
  const { notes } = await build(config, { progress: SILENT }, PLAIN_PARTS);
  assert.match(notes.join("\n"), /could not be used when this snapshot was built \(reviews\.yaml:1: /);
  assert.doesNotMatch(notes.join("\n"), new RegExp(source.folder));
});
