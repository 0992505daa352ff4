#!/usr/bin/env node
/** The command of a published package. Plain JavaScript that any Node reads: under one that cannot run the rest it says what to do. */
import { isTooOld, OLDEST } from "../files/node-version.mjs";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64"];
/** Room for young objects, in each thread of a build: four times as much saves no time and takes a fifth more memory. Megabytes. */
const SEMI_SPACE = 16;

function refuse(...lines) {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exit(1);
}

const platform = `${process.platform}-${process.arch}`;
if (isTooOld()) {
  refuse(
    `proofshelf needs Node ${OLDEST.join(".")} or newer; this is ${process.versions.node}.`,
    "Install a newer one, or let npm bring one along: npx -p node@24 -p proofshelf proofshelf --help",
  );
}
if (!PLATFORMS.includes(platform)) {
  refuse(
    `proofshelf runs on Linux (x64, arm64; glibc) and macOS (arm64); this is ${platform}: its search engine has no build for it.`,
    "In a container of Linux it runs here too; README.md has a recipe.",
  );
}
const [{ setFlagsFromString }, { enableCompileCache }] = await Promise.all([import("node:v8"), import("node:module")]);
setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE}`);
enableCompileCache();
await (await import("../cli.js")).main();
