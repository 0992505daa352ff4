/** Recomputes every digest, revision id and count that the demo pins, and writes what was wrong;
 *  with --check it writes nothing, lists what is wrong and exits 1.
 *
 *      node generator/demo/pin.ts [--check] */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finding, findDifferences } from "./finding.ts";
import { pinClaims } from "./pin-claims.ts";
import { headOf, listFiles, makeDemoRegistry, readRegistry } from "./pin-registry.ts";

/** Revision folders whose name is not what their files give. */
function findHeads(demo: string): { repo: string; is: string; should: string }[] {
  const code = join(demo, "code");
  return readdirSync(code).flatMap((repo) =>
    readdirSync(join(code, repo))
      .map((is) => ({ repo, is, should: headOf(join(code, repo, is)) }))
      .filter(({ is, should }) => is !== should),
  );
}

/** Code files of the current revisions that library/proofs/ shows, and whether the copy there is the same. */
function findCopies(demo: string): { from: string; key: string; same: boolean }[] {
  const { sources } = readRegistry(demo).meta;
  return Object.entries(sources).flatMap(([repo, { head }]) => {
    const root = join(demo, "code", repo, head);
    return listFiles(root)
      .filter((path) => /\.(v|lean|rs|csv)$/.test(path))
      .map((path) => {
        const [from, key] = [join(root, path), `proofs/${repo}/${path}`];
        const to = join(demo, "library", key);
        return { from, key, same: existsSync(to) && readFileSync(from).equals(readFileSync(to)) };
      });
  });
}

/** checkPins finds what is pinned wrongly; nothing when everything is true. It reads only. */
export async function checkPins(demo: string): Promise<Finding[]> {
  const heads = findHeads(demo);
  // Digests below a wrongly named revision would all be reported again: say the cause only.
  if (heads.length > 0) {
    return heads.map(({ repo, is, should }) => ({ file: `code/${repo}`, pointer: "", is, should }));
  }
  const registry = readRegistry(demo);
  const claims = pinClaims(demo);
  return [
    ...findDifferences("registry.json", registry, JSON.parse(await makeDemoRegistry(demo))),
    ...claims.wrong,
    ...findCopies(demo)
      .filter(({ same }) => !same)
      .map(({ key }) => ({ file: `library/${key}`, pointer: "", is: "other bytes", should: "the code store's" })),
  ];
}

/** writePins makes everything true, in the order in which one pin depends on the other. */
export async function writePins(demo: string): Promise<void> {
  for (const { repo, is, should } of findHeads(demo)) {
    renameSync(join(demo, "code", repo, is), join(demo, "code", repo, should));
    for (const name of ["registry.yaml", "registry.lock.jsonl", "claims.yaml", "README.md"]) {
      const path = join(demo, name);
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(is, should));
    }
  }
  writeFileSync(join(demo, "registry.json"), await makeDemoRegistry(demo));
  for (const { from, key, same } of findCopies(demo)) {
    if (same) continue;
    mkdirSync(dirname(join(demo, "library", key)), { recursive: true });
    copyFileSync(from, join(demo, "library", key));
  }
  const claims = pinClaims(demo);
  if (claims.wrong.length > 0) writeFileSync(join(demo, "claims.yaml"), claims.text);
}

if (import.meta.main) {
  const demo = dirname(fileURLToPath(import.meta.url));
  if (!process.argv.includes("--check")) await writePins(demo);
  const wrong = await checkPins(demo);
  for (const { file, pointer, is, should } of wrong) console.log(`${file}${pointer}: is ${is}, should be ${should}`);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log("every pin is true");
}
