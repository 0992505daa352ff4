#!/usr/bin/env node
/** The command of an installed package. Plain JavaScript that any Node reads: one that cannot run the rest starts the Node that came with it. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isTooOld, OLDEST } from "../files/node-version.mjs";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64"];
/** Room for young objects, in each thread of a build: four times as much saves no time and takes a fifth more memory. Megabytes. */
const SEMI_SPACE = 16;

function refuse(...lines) {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exit(1);
}

/** findOwnNode finds the Node that is a package beside this one, with one program and no script; null where there is none for this machine. */
function findOwnNode() {
  try {
    const program = join(dirname(createRequire(import.meta.url).resolve(`node-${platform}/package.json`)), "bin", "node");
    return existsSync(program) && program !== process.execPath ? program : null;
  } catch {
    return null;
  }
}

/** @returns the exit code of the same command under another Node */
function runUnder(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  return new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

const platform = `${process.platform}-${process.arch}`;
if (!PLATFORMS.includes(platform)) {
  refuse(
    `proofshelf runs on Linux (x64, arm64; glibc) and macOS (arm64); this is ${platform}: its search engine has no build for it.`,
    "In a container of Linux it runs here too; the guide to publishing has a recipe.",
  );
}
if (isTooOld()) {
  const own = findOwnNode();
  if (own === null)
    refuse(
      `proofshelf needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node}, and the Node that is installed with it is not there.`,
      "Install a newer Node, or install proofshelf again without --omit=optional.",
    );
  process.exit(await runUnder(own));
}
const [{ setFlagsFromString }, { enableCompileCache }] = await Promise.all([import("node:v8"), import("node:module")]);
setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE}`);
enableCompileCache();
await (await import("../cli.js")).main();
