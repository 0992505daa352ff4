/** Compiles worker.ts with every package that it uses into one folder, which is then all that its process may read. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ShelfError } from "#snapshots/errors";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
export const WORKER = "worker.mjs";

/** compileWorker compiles worker.ts into a folder. @param outdir gets the files; it is made when it is missing. @throws ShelfError "build_failed" */
export async function compileWorker(outdir: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: FOLDER,
    entryPoints: ["worker.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    charset: "utf8",
    logLevel: "silent",
    // For CommonJS packages that ask for a module of Node.
    banner: { js: 'import { createRequire as openRequire } from "node:module"; const require = openRequire(import.meta.url);' },
  }).catch((cause: Error) => {
    throw new ShelfError("build_failed", `The process that reads objects could not be compiled: ${cause.message}`, { cause });
  });
  await copyFile(fileURLToPath(import.meta.resolve("@hyzyla/pdfium/pdfium.wasm")), join(outdir, "pdfium.wasm"));
}
