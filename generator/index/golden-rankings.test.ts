/** What the demo library answers first. A change here is a change of the ranking: look at it, then write it down. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { copyBuiltDemo } from "../../snapshots/contract/built-demo.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { ViewIndex } from "../../snapshots/index/view-index.ts";
import type { IndexReader } from "../../snapshots/index/reader.ts";
import { search } from "../../snapshots/query/search.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";

let folder: string;
let index: ViewIndex;
let reader: IndexReader;

before(async () => {
  folder = await copyBuiltDemo();
  const shelf = openDirectoryShelf(join(folder, "shelf", "public"));
  index = await openIndex(shelf.indexUri);
  reader = await index.at((await shelf.readPointer())?.snapshot ?? "");
});
after(async () => {
  reader.close();
  index.close();
  await rm(folder, { recursive: true });
});

const GOLDEN: Readonly<Record<string, readonly string[]>> = {
  "insertion sort keeps its length": [
    "proofs/sorted-lists/lean/Sorting.lean",
    "proofs/sorted-lists/coq/Sorting.v",
    "proofs/sorted-lists/audit.csv",
  ],
  isort_keeps_length: ["CUB-0007", "proofs/sorted-lists/coq/Sorting.v", "proofs/sorted-lists/lean/Sorting.lean"],
  "CUB-0007": ["CUB-0007"],
  "birthday bound collision": ["notes/birthday-bound.md", "data/birthday.csv", "merkle-proofs-prove-membership"],
  "merkle proof": ["notes/what-a-merkle-proof-proves.md", "proofs/digest-trees/src/main.rs", "proofs/digest-trees/src/merkle.rs"],
  "what does a digest tell": ["notes/reading-a-digest.md", "notes/floating-point-traps.md", "notes/no-clock-inside.md"],
  "atomic rename crash": ["notes/atomic-rename.md", "notes/content-addressing.md", "notes/recheck-a-coq-proof.md"],
  "square root of two irrational": ["notes/root-two.md", "proofs/small-numbers/coq/Open.v", "proofs/small-numbers/lean/Open.lean"],
  "floating point sum": ["notes/floating-point-traps.md", "names/étude.md", "names/👩‍🔬.md"],
  "admit axiom": ["notes/admits-and-axioms.md", "notes/recheck-a-coq-proof.md", "notes/start-here.md"],
  "how to recheck a proof in coq": ["notes/recheck-a-coq-proof.md", "notes/start-here.md", "rechecking-is-quick"],
  "reproducible builds clock": ["notes/reproducible-builds.md", "notes/no-clock-inside.md", "notes/floating-point-traps.md"],
  "notes/percent-signs.md": ["notes/percent-signs.md", "names/100%.md", "proofs/digest-trees/lean/Escape.lean"],
  "claim evidence rots": ["notes/how-to-read-a-claim.md", "notes/three-ways-a-verified-claim-rots.md", "data/glossary.yaml"],
  "sorted list permutation": [
    "proofs/sorted-lists/lean/Sorting.lean",
    "proofs/sorted-lists/src/main.rs",
    "proofs/sorted-lists/lean/Search.lean",
  ],
  "rust overflow midpoint": ["notes/midpoint.md", "proofs/sorted-lists/src/search.rs", "CUB-0013"],
  "append only log": ["notes/append-only-logs.md", "proofs/digest-trees/coq/Log.v", "proofs/digest-trees/src/log.rs"],
  "unicode look alikes": ["notes/look-alikes.md", "notes/what-a-merkle-proof-proves.md", "names/--help.md"],
  "lean theorem": ["every-theorem-has-a-lean-counterpart", "proofs/small-numbers/theorems.csv", "proofs/sorted-lists/theorems.csv"],
  '"canonical json"': ["data/canonical-json-cases.json", "notes/canonical-json.md", "notes/content-addressing.md"],
};

test("the first three of each query are what they were", async () => {
  const found: Record<string, readonly string[]> = {};
  for (const q of Object.keys(GOLDEN)) found[q] = (await search(reader, { q, prefix: "", limit: 50 })).slice(0, 3).map(({ key }) => key);
  assert.deepEqual(found, GOLDEN);
});
