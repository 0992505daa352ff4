/** A library of any size, made up: plain notes, every second one in sections, and records about them. */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { WORDS } from "./library.ts";

const IN_A_FOLDER = 100;
const SECTIONS = 4;

/** writeNotes writes notes.
 *  @param folder gets `library/`
 *  @param flat how many lie in one folder, `notes/flat/`; the others in folders of a hundred
 *  @returns keys, in the order of their numbers */
export async function writeNotes(folder: string, objects: number, flat = 0): Promise<readonly string[]> {
  const keys = Array.from({ length: objects }, (_, at) => {
    const within = at < flat ? "flat" : String(Math.floor(at / IN_A_FOLDER)).padStart(4, "0");
    return `notes/${within}/${String(at).padStart(6, "0")}.md`;
  });
  for (const [at, key] of keys.entries()) {
    const file = join(folder, "library", key);
    if (dirname(key) !== dirname(keys[at - 1] ?? "")) await mkdir(dirname(file), { recursive: true });
    await writeFile(file, noteOf(at));
  }
  return keys;
}

function noteOf(at: number): string {
  const sentence = (turn: number): string =>
    `The ${WORDS.map((_, which) => WORDS[(at * 7 + turn + which * which) % WORDS.length])
      .slice(0, 6)
      .join(" ")} of note ${at}.`;
  const sections = Array.from(
    { length: at % 2 === 0 ? 0 : SECTIONS },
    (_, part) => `\n## Part ${part} of ${at}\n\n${sentence(part + 1)}\n`,
  );
  return `# Note ${at}\n\n${sentence(0)}\n${sections.join("")}`;
}

/** writeRegistry returns a registry of records, each about a file of its own. @returns the file */
export async function writeRegistry(folder: string, records: number): Promise<string> {
  const of = (values: readonly string[], at: number): string => values[at % values.length] ?? "";
  const cubs = Array.from({ length: records }, (_, at) => {
    const module = `Bench.${of(WORDS, at)}.Part${at % 977}`;
    const path = `coq/${module.replaceAll(".", "/")}.v`;
    return {
      id: `CUB-${String(at + 1).padStart(5, "0")}`,
      repo: `repo-${at % 23}`,
      theorem_name: `${of(WORDS, at * 5)}_${of(WORDS, at * 3 + 1)}_${at}`,
      module,
      kind: of(["Lemma", "Theorem", "Definition"], at),
      statement: `forall (l : list nat) (x : nat), ${of(WORDS, at)}_${at % 1009} l -> ${of(WORDS, at + 3)} (insert x l)`,
      status: "VERIFIED_EXACT",
      verification_state: of(["VERIFIED", "VERIFIED", "NOT_VERIFIED"], at),
      source_class: "active",
      active: true,
      crate: at % 4 === 0 ? `crate-${at % 31}` : "",
      wiring: of(["FUNCTION-IMPL", "DOC-REFERENCE", "CSV-LEGACY"], at),
      invocation: of(["runtime", "unwired", "test-only"], at),
      production_consumption: of(["EXECUTABLE-RUNTIME", "NOT-RUNTIME-CONSUMED"], at),
      no_holes: true,
      formal_systems: "Coq",
      use_cases: [of(["crypto", "topology", "TDX"], at)],
      files: { coq_file: path, lean_file: "" },
      file_shas: { [path]: createHash("sha256").update(path).digest("hex") },
    };
  });
  const file = join(folder, "registry.json");
  await writeFile(file, JSON.stringify({ meta: { service: "Bench", updated_iso: "2026-01-02T03:04:05Z" }, cubs }));
  return file;
}
