/** What people ask of a library of texts, answered on the demo without a model: definitions, reasons, instructions, each with what a right
 *  answer holds, and questions that nothing in it answers. Written by hand from the demo's texts. And what they mistype. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { copyBuiltDemo } from "../../snapshots/contract/built-demo.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";

const demo = dirname(fileURLToPath(import.meta.url));
/** Share of the questions whose answer has to be right: words alone do not find every one. */
const ENOUGH = 0.8;
/** Of definitions, the share that stands in the first quote. */
const ENOUGH_FIRST = 0.75;
/** Share of those that nothing answers that get no quote. */
const REFUSED = 0.75;

const Answered = z.object({ answer: z.string(), notice: z.string(), citations: z.array(z.unknown()), finding: z.string().optional() });

let folder: string;
let server: ServingProcess;

before(async () => {
  folder = await copyBuiltDemo();
  server = await startServing(["--no-rate-limits", "--config", join(folder, "proofshelf.yaml")]);
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** What stands in the first quote of a right answer, or in one of them. */
const FIRST: readonly (readonly [question: string, holds: RegExp])[] = [
  ["What is a pin?", /a digest written down where the thing is named/i],
  ["What is a hole?", /a step in a proof that was admitted/i],
  ["What is content addressing?", /A content address says what: the bytes/i],
  ["What is a content address?", /A content address says what: the bytes/i],
  ["What is a Merkle tree?", /A Merkle tree hashes leaves in pairs/i],
  ["What is a reproducible build?", /two people with the same sources get the same bytes/i],
  ["When is a build reproducible?", /two people with the same sources get the same bytes/i],
  ["What are reproducible builds?", /two people with the same sources get the same bytes/i],
  ["What is a snapshot?", /function of its inputs|one view of the library/i],
];
const ANYWHERE: typeof FIRST = [
  ["Why does a digest need a canonical form?", /hash differently|choose one text for each value/i],
  ["What is the split-view problem?", /split-view problem/i],
  ["What is the birthday bound?", /two of them agree|passes one half/i],
  ["What is canonical JSON?", /choose one text for each value|RFC 8785/i],
  ["What is gossip for?", /gossip/i],
  ["What does dead mean in the registry?", /nothing calls it/i],
  ["What is a homograph?", /Cyrillic/i],
  ["What is infinite descent?", /descent/i],
  ["How do I check a digest?", /let a program do it|sha256sum/i],
  ["How do I recheck a Coq proof?", /coqc|how to check the ones in this library/i],
  ["How do I replace a file atomically?", /rename|temporary file/i],
  ["How do I test a definition?", /tried on cases/i],
  ["How should I show a strange name?", /Show it in full/i],
  ["Why does a rename have to be in the same folder?", /a rename across file systems is a copy/i],
  ["Why is addition not associative in floating point?", /last digits|Addition is not associative/i],
  ["Why is fsync before rename?", /power cut/i],
  ["Why must a snapshot not contain a clock?", /function of its inputs|every build is news/i],
  ["Why is the root of two left open?", /Because a library in which everything is finished/i],
  ["Why not Protocol Buffers?", /Because a reader can check JSON|promises less/i],
  ["Why write a statement in two provers?", /makes one read it/i],
  ["Why does the proof of a sort split in two?", /two duties|columns of work never meet/i],
  ["Why do short ids collide?", /eight hex digits/i],
  ["Why does a claim need a scope?", /misread it/i],
  ["Why does the binary search midpoint overflow?", /wraps round/i],
  ["Why is Print Assumptions needed?", /Compiling is not enough|Only the checker knows|Only \[?Print Assumptions/i],
  ["What does a matching digest say?", /these are the bytes that somebody once hashed/i],
  ["What does a Merkle proof not prove?", /old root|Position|Absence/i],
  ["What does a Merkle proof prove?", /convince you/i],
  ["What happens when the writer crashes after writing some files?", /unreachable|left/i],
  ["What do I still trust after checking a Coq proof?", /kernel/i],
  ["Who consumes the proof?", /input of the program/i],
  ["What is the difference between Admitted and Axiom?", /look the same/i],
  ["Which characters may a URL hold?", /eighty characters/i],
  ["How long is a Merkle proof for a million leaves?", /twenty digests/i],
  ["How does an append-only log prove consistency?", /prefix/i],
  ["What are the two duties of a sort?", /rearrangement|so a sort has two duties\. Write/i],
  ["What is the remedy when the checker moved?", /Name the checker/i],
  ["What can two readers do that one cannot?", /split-view|compare notes/i],
  ["Does a digest say who made it?", /does not say who/i],
  ["What is a claim?", /sentence with a scope/i],
  ["What is a record?", /one theorem in the registry/i],
  ["What is consistency of a log?", /prefix of the new one/i],
  ["What is sorry in Lean?", /unfinished proof/i],
  ['What does "partial" mean?', /something is checked/i],
  ["What does runtime mean?", /is called on some path/i],
  ["What does test-only mean?", /called by tests/i],
  ["What does unwired mean?", /does not exist/i],
  ["How are names sorted in canonical JSON?", /UTF-16 code units/i],
  ["How does a folder become content-addressed?", /writing down its listing/i],
  ["Why is content addressing good for caching?", /What cannot change need not be asked for again/i],
  ["Why does Rust refuse to sort f64?", /total_cmp|total order/i],
  ["Why should a digest be compared in full?", /Compare all of them|another input with the same eight/i],
  ["Why are there 64 hex digits in a digest?", /256 bits/i],
  ["Why does a proof with Qed prove nothing?", /stands on|leans/i],
  ["What happens if lo + hi overflows?", /wraps round/i],
  ["What is NFC?", /maps both to the first/i],
  ["What is deduplication?", /Equal bytes have one address/i],
  ["What is a clock in disguise?", /Clocks come in disguise/i],
  ["Which number format does RFC 8785 use?", /as JavaScript prints/i],
  ["What is lost with content addressing?", /no use to a person/i],
];

const UNANSWERABLE: readonly string[] = [
  "What is a zeppelin?",
  "What is the capital of France?",
  "Why is the sky blue?",
  "How do I install PostgreSQL?",
  "What is a monad?",
  "Who invented the Merkle tree?",
  "Why does a Merkle tree need a blockchain?",
  "How do I reset my password?",
  "What is quicksort?",
  "How does TLS certificate pinning work?",
  "What is the price of a digest?",
  "When was RFC 6962 published?",
  "Why did Alice resign?",
  "Who maintains the registry?",
  "What is the weather today?",
  "What does the fox say?",
  "Why do leaves turn red in autumn?",
  "How do I bake bread?",
  "What is a neural network?",
  "Which president signed the treaty?",
  "Why was the registry deleted?",
  "How do I delete a snapshot in Kubernetes?",
  "What is the definition of love?",
  "Who wrote Hamlet?",
  "What is a red-black tree?",
  "What is homotopy type theory?",
];

async function ask(question: string): Promise<z.infer<typeof Answered>> {
  const response = await fetch(`${server.url}/api/ask`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question }),
  });
  return Answered.parse(await response.json());
}

test("definitions, reasons and instructions are quoted from the sentence that answers", async (t) => {
  const [wrong, later]: [string[], string[]] = [[], []];
  for (const [question, holds] of FIRST) {
    const { answer } = await ask(question);
    if (!holds.test(answer.replace(/^These are the nearest[^\n]*\n\n/, "").split("\n\n")[0] ?? "")) later.push(question);
    if (!holds.test(answer)) wrong.push(question);
  }
  for (const [question, holds] of ANYWHERE) if (!holds.test((await ask(question)).answer)) wrong.push(question);
  t.diagnostic(`not answered right: ${wrong.join(" ")}; not in the first quote: ${later.join(" ")}`);
  assert.ok(later.length <= (1 - ENOUGH_FIRST) * FIRST.length, later.join(" "));
  const all = FIRST.length + ANYWHERE.length;
  assert.ok(wrong.length <= (1 - ENOUGH) * all, `${wrong.length} of ${all} are wrong: ${wrong.join(" ")}`);
});

test("of questions that nothing here answers three in four get no quote, and of the others all are told to be only near", async (t) => {
  const found = new Map<string, string | undefined>();
  for (const question of UNANSWERABLE) {
    const { answer, citations, finding } = await ask(question);
    found.set(question, finding);
    assert.equal(citations.length === 0, finding === "none", question);
    assert.match(
      answer,
      finding === "none" ? /^Not in this library\./ : finding === "nearest" ? /^These are the nearest passages/ : /\[1\]/,
      question,
    );
  }
  const saying = (finding: string): readonly string[] => UNANSWERABLE.filter((question) => found.get(question) === finding);
  t.diagnostic(`nearest: ${saying("nearest").join(" ")}; answer: ${saying("answer").join(" ")}`);
  assert.ok(saying("none").length >= REFUSED * UNANSWERABLE.length, saying("nearest").join(" "));
  assert.deepEqual(saying("answer"), []);
});

test("a title of an object is no answer by itself: what stands under it is quoted, and its facts only where there is nothing to quote", async () => {
  const { answer } = await ask("What is content addressing?");
  assert.doesNotMatch(answer, /bytes with SHA-256/);
  assert.match((await ask("birthday.csv")).answer, /data\/birthday\.csv is csv of \d+ bytes/);
});

test("a word of a question that some record has for its name is no question for the record", async () => {
  assert.doesNotMatch((await ask("How are names sorted in canonical JSON?")).answer, /CUB-/);
  assert.match((await ask("sorted")).answer, /CUB-0002 is the definition sorted/);
});

test("a slip in a question is answered as what was meant, in counts and in quotes, and the notice says so", async () => {
  for (const [slipped, meant] of [
    ["What does a Merkel proof prove?", "What does a Merkle proof prove?"],
    ["What is a Merkel tree?", "What is a Merkle tree?"],
    ["What is a reprodcible build?", "What is a reproducible build?"],
    ["What is the brithday bound?", "What is the birthday bound?"],
    ["Why does a digest need a canoncial form?", "Why does a digest need a canonical form?"],
    ["Waht is a Merkle tree?", "what is a Merkle tree?"],
    ["Wich records are deployable?", "which records are deployable?"],
    ["How many recrods are verified?", "How many records are verified?"],
    ["How many records are verfied?", "How many records are verified?"],
    ["Which claims are not verfied?", "Which claims are not verified?"],
    ["How many recods are verified?", "How many records are verified?"],
    ["How many records are deployble?", "How many records are deployable?"],
    ["How many theorms are unwierd?", "How many theorems are unwired?"],
  ] as const) {
    const [read, right] = [await ask(slipped), await ask(meant)];
    assert.equal(read.answer, right.answer, slipped);
    assert.match(read.notice, /stands nowhere here, so it was read as: \w[^.]*[.?!](?: |$)/, slipped);
    assert.doesNotMatch(right.notice, /read as/);
  }
});

test("a slip is searched as what was meant, and the page, the API and the tool say so", async () => {
  const page = await (await fetch(`${server.url}/search/?q=merkel+proof`)).text();
  assert.match(page, /Did you mean <a href="\.\/\?q=Merkle\+proof"><bdi>Merkle proof<\/bdi><\/a>\?/);
  assert.match(page, /what-a-merkle-proof-proves/);
  const api = await (await fetch(`${server.url}/api/search?q=isort_keeps_lenght`)).json();
  assert.equal(z.object({ did_you_mean: z.string() }).parse(api).did_you_mean, "isort_keeps_length");
  const called = await fetch(`${server.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_library", arguments: { query: "insert_kepes_sorted" } },
    }),
  });
  assert.match(await called.text(), /did_you_mean\W+insert_keeps_sorted/);
  const plain = await (await fetch(`${server.url}/api/search?q=merkle+proof`)).json();
  assert.deepEqual(Object.keys(z.record(z.string(), z.unknown()).parse(plain)).sort(), ["prefix", "query", "results"]);
  assert.doesNotMatch(await (await fetch(`${server.url}/search/?q=zq9f0b7d614e858a`)).text(), /Did you mean|class="card"/);
});

const Searched = z.object({
  results: z.array(z.object({ key: z.string(), line: z.int().optional() })),
  did_you_mean: z.string().optional(),
});
const search = async (query: string): Promise<z.infer<typeof Searched>> =>
  Searched.parse(await (await fetch(`${server.url}/api/search?${new URLSearchParams({ q: query }).toString()}`)).json());

/** Names of many styles that stand nowhere in the demo; pieces of some do. */
function unknownNames(): string[] {
  const known = ["insert", "merkle", "sorted", "digest", "record", "list", "proof", "insert_keeps_sorted", "climb", "Sorting", "index"];
  const styles: readonly ((piece: string, odd: string, number: number) => string)[] = [
    (piece, odd) => `${piece}_${odd}`,
    (piece, odd, number) => `${piece}_${odd}_${number}`,
    (piece, odd) => `${odd}_${piece}`,
    (piece, odd) => `${odd}${piece[0]?.toUpperCase() ?? ""}${piece.slice(1)}`,
    (piece, odd) => `${odd[0]?.toUpperCase() ?? ""}${odd.slice(1)}.${piece}`,
    (piece, odd) => `${odd}::${piece}`,
    (piece, odd) => `${piece}.${odd}`,
    (piece, odd, number) => `com.${odd}.${piece}${number}`,
    (_, odd, number) => `${odd}${number}`,
    (_, odd) => `0x${odd}`,
    (_, __, number) => `CUB-${2000 + number}`,
    (_, __, number) => `v${number}.${number}.${number}-rc`,
    (_, odd) => createHash("sha256").update(odd).digest("hex").slice(0, 16),
  ];
  return Array.from({ length: 1000 }, (_, at) => {
    const hash = createHash("sha256").update(`name ${at}`).digest("hex");
    const odd = hash
      .replaceAll(/[^a-f]/g, "")
      .slice(0, 7)
      .replaceAll("a", "q")
      .replaceAll("e", "x");
    return styles[at % styles.length]?.(known[at % known.length] ?? "", odd, 101 + (Number.parseInt(hash.slice(0, 4), 16) % 800)) ?? "";
  });
}

test("of a thousand names that stand nowhere, each finds nothing, or what is near it and says so", async () => {
  const unmarked: string[] = [];
  let marked = 0;
  for (const name of unknownNames()) {
    const { results, did_you_mean: meant } = await search(name);
    if (results.length > 0 && (meant === undefined || meant.toLowerCase() === name.toLowerCase())) unmarked.push(name);
    if (results.length > 0 && meant !== undefined) marked++;
  }
  assert.deepEqual(unmarked, []);
  assert.ok(marked > 0, "a name whose last piece is one finds that one");
});

test("a name that stands in the library is never taken for another, and a qualified one leads to its declaration", async () => {
  const library = join(demo, "library");
  const files = (await readdir(library, { recursive: true })).filter((key) => /^proofs\/.*\.(?:v|lean|rs)$/.test(key)).sort();
  const names = new Map<string, string[]>();
  for (const key of files) {
    const lines = (await readFile(join(library, key), "utf8")).split("\n");
    for (const [at, line] of lines.entries()) {
      const name = /^\s*(?:Theorem|Lemma|Corollary|Definition|Fixpoint|theorem|lemma|def|pub fn) (\w+_\w+)/.exec(line)?.[1];
      if (name !== undefined) names.set(name, [...(names.get(name) ?? []), `${key}:${at + 1}`]);
    }
  }
  assert.ok(names.size > 40);
  for (const [name, places] of names) {
    const { results, did_you_mean: meant } = await search(name);
    assert.equal(meant, undefined, name);
    assert.ok(results.length > 0, name);
    for (const place of places) {
      const module = /([^/]+)\.\w+:\d+$/.exec(place)?.[1] ?? "";
      const found = await search(`${module}.${name}`);
      assert.equal(found.did_you_mean, undefined, `${module}.${name}`);
      const first = found.results.find(({ line }) => line !== undefined);
      assert.ok(places.includes(`${first?.key}:${first?.line}`), `${module}.${name} ${first?.key}:${first?.line}`);
    }
  }
  for (const spelling of ["INSERT_KEEPS_SORTED", "insertKeepsSorted", "\\forall"]) {
    assert.notEqual((await search(spelling)).did_you_mean?.toLowerCase(), spelling.toLowerCase());
  }
});
