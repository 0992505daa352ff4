/** Further kernels, programs of anybody's: each gets what is to be checked as a file and says accept, reject or decline by ending with 0, 1 or 2.
 *  Nothing that it prints is believed. */
import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "#snapshots/digest";
import type { CubRecord } from "#snapshots/schema";
import type { Accepting } from "#generator/annex/recall";
import type { ToldVerdict } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { findProgram } from "./tool.ts";
import { describeChanged, digestExport } from "./lean-tool.ts";
import { findDatabases, readMetamath } from "./metamath.ts";
import { type AdapterRequest, EVERY, isBelow, type Kernel } from "./request.ts";
import type { Ran, Sandbox } from "./sandbox.ts";
import { accepts, type CheckState } from "./states.ts";

export type FoundKernel = Kernel & { readonly prover: "coq" | "lean" | "metamath" };
type Said = { readonly state: CheckState; readonly log: string };

const MAX_LOG = 4096;
/** A number that is added to a kernel's exit code where it runs: nothing else ends with such a code. */
const ENDED = 64;

/** findKernels opens the kernels of a registry.yaml. A word of a command that begins with a dot is a file beside it.
 *  @returns those that are here, and what stands against the others */
export function findKernels(config: RegistrySources): { readonly kernels: readonly FoundKernel[]; readonly lacking: readonly string[] } {
  const kernels: FoundKernel[] = [];
  const lacking: string[] = [];
  for (const { name, prover, version, command } of config.kernels) {
    const words = command.map((word) => (word.startsWith(".") ? resolve(dirname(config.file), word) : word));
    const files = words.filter((word, at) => command[at]?.startsWith("."));
    const program = files.includes(words[0] ?? "") ? words[0] : findProgram(words[0] ?? "");
    const missing = files.find((file) => !existsSync(file) || !statSync(file).isFile());
    if (program == null || missing !== undefined) {
      lacking.push(`The kernel ${name} is not here: there is no file ${missing ?? words[0] ?? ""}.`);
      continue;
    }
    const digest = sha256(
      [...new Set([program, ...files])].map((file) => sha256(readFileSync(file))).join("\n") + command.slice(1).join("\n"),
    );
    kernels.push({ name, prover, version, command: words, files, digest });
  }
  return { kernels, lacking };
}

/** readExit says what a kernel said. */
export function readExit({ code, killed, stdout, stderr }: Ran): Said {
  const log = `${stdout}\n${stderr}`.trim().slice(-MAX_LOG);
  if (killed === "wall" || killed === "cpu") return { state: "timeout", log: `It ended by its limit of ${killed}.` };
  if (killed !== null) return { state: "environment", log: `It printed more than its limit of ${killed}.` };
  const said = code === null ? -1 : code - ENDED;
  if (said === 0) return { state: "accepted", log: "" };
  if (said === 1) return { state: "rejected", log };
  if (said === 2) return { state: "unsupported", log: log || "It declines." };
  if (said === 137 || code === 137) return { state: "memory", log };
  return { state: "environment", log: said < 0 ? `It could not be started. ${log}` : `It ended with ${said}, which says nothing. ${log}` };
}

/** runKernel runs a kernel over files of the request, or over another one. Its own files are copied to where whoever runs it may read them, and
 *  its end is told apart from that of the sandbox, which may fail before it starts. @param other a file that is no source */
export async function runKernel(
  kernel: Kernel,
  given: readonly string[],
  request: AdapterRequest,
  sandbox: Sandbox,
  other?: string,
): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-kernel-"));
  try {
    chmodSync(folder, 0o755);
    const place = (file: string): string => join(folder, `${basename(file)}`);
    for (const file of kernel.files) {
      copyFileSync(file, place(file));
      chmodSync(place(file), 0o755);
    }
    if (other !== undefined) {
      copyFileSync(other, place(other), constants.COPYFILE_FICLONE);
      chmodSync(place(other), 0o644);
    }
    const words = kernel.command.map((word) => (kernel.files.includes(word) ? place(word) : word));
    const files = other === undefined ? given : [place(other)];
    const ran = await sandbox.run({
      command: ["sh", "-c", `"$@"; exit $(($? + ${ENDED}))`, "sh", ...words, ...files],
      reads: [request.root, folder],
      writes: [],
      cwd: request.root,
      limits: request.limits,
    });
    return readExit(ran);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** askKernel asks a kernel of databases of Metamath, or of what Lean exported. @returns the transcript that an adapter would write */
export async function askKernel(kernel: FoundKernel, request: AdapterRequest, sandbox: Sandbox): Promise<string> {
  // An export of Lean is no file of the sources: its digest is told with the kernel.
  const lines: object[] = [
    { ...toolOf(kernel), ...(kernel.prover === "lean" ? { installed_sha256: digestExport(request.options.exported) } : {}) },
  ];
  const answer = (paths: readonly string[], imports: (path: string) => readonly string[], { state, log }: Said): void => {
    for (const path of paths) lines.push({ t: "imports", path, imports: imports(path) }, { t: "check", path, state, log });
  };
  if (kernel.prover === "lean") {
    const paths = [...new Set(request.ask.map(({ path }) => path))];
    const log = describeChanged(request);
    const said =
      log === "" ? await runKernel(kernel, [], request, sandbox, request.options.exported) : { state: "environment" as const, log };
    answer(paths, () => [EVERY], said);
  } else {
    const texts = new Map(request.files.map(({ path }) => [path, readFileSync(join(request.root, path), "utf8")]));
    const told = new Set<string>();
    for (const main of findDatabases(texts)) {
      const { paths, missing } = readMetamath(main, (path) => texts.get(path));
      const asked = paths.filter((path) => !told.has(path) && request.ask.some((one) => one.path === path));
      if (asked.length === 0) continue;
      for (const path of asked) told.add(path);
      const all = [...paths, ...missing.filter(isBelow)];
      answer(asked, (path) => all.filter((other) => other !== path), await runKernel(kernel, [join(request.root, main)], request, sandbox));
    }
  }
  return [...lines, { t: "end", answered: request.ask.length }].map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function toolOf({ name, version, digest, command }: Kernel): object {
  return { t: "tool", name, version, executable_sha256: digest, adapter: "kernel 1", command };
}

/** kernelsOf lists who accepted or refused what a verdict is of. */
export function kernelsOf({ check: { tool } }: Pick<ToldVerdict, "check">): readonly Accepting[] {
  return tool.kernels ?? [{ name: tool.name, version: tool.version, build: tool.executable_sha256 }];
}

type Quorum = NonNullable<CubRecord["quorum"]>;

/** quorumOf lists which kernels said what, each with the version that was told of it and who signed that. An export is no kernel's word.
 *  @param asked how many have to accept */
export function quorumOf(asked: number, verdicts: readonly ToldVerdict[]): { readonly quorum: Quorum; readonly accepted: number } {
  const rows = verdicts.flatMap((verdict) => {
    const { state, check, signers, sha256: attestation } = verdict;
    if (state === "exported") return [];
    const said = accepts(verdict) ? ("accept" as const) : state === "rejected" ? ("reject" as const) : ("decline" as const);
    const { kernels, executable_sha256: digest } = check.tool;
    return kernelsOf(verdict).map((one) => ({
      digest: kernels === undefined ? digest : `${digest} ${one.name}`,
      row: { name: one.name, version: one.version, verdict: said, signers: [...signers], attestation },
    }));
  });
  const accepting = rows.filter(({ row }) => row.verdict === "accept");
  // One program under two names is one kernel, and so is one name in two builds.
  const count = (of: (one: (typeof rows)[number]) => string): number => new Set(accepting.map(of)).size;
  return {
    quorum: { asked, verdicts: rows.map(({ row }) => row) },
    accepted: Math.min(
      count(({ row }) => row.name),
      count(({ digest }) => digest),
    ),
  };
}
