// An adapter of Isabelle, as an example of one for any prover: it speaks the protocol of `proofshelf registry recheck` (a request as JSON on
// standard input, lines of JSON as the answer) and needs nothing but Node and Isabelle. It has never met an Isabelle of this project's own:
// it is tested on recorded answers. A source names it in registry.yaml, and is rechecked with --unsandboxed, for Isabelle keeps its heaps at home:
//
//   - { repo: mine, git: ./mine, rev: main, prover: isabelle, logical: Session,
//       adapter: { command: [node, ./isabelle-adapter.mjs], prover: isabelle } }
//
// `isabelle build` with quick_and_dirty=false refuses `sorry`; a theory `Proofshelf_Ask` asks for the oracles of each theorem.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const isabelle = (args, cwd) => {
  try {
    return { ok: true, text: execFileSync("isabelle", args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "pipe"] }) };
  } catch (error) {
    return { ok: false, absent: error.code === "ENOENT", text: `${error.stdout ?? ""}${error.stderr ?? ""}` };
  }
};

const request = JSON.parse(readFileSync(0, "utf8"));
const version = isabelle(["version"]);
if (!version.ok) throw new Error("isabelle is not installed");
say({
  t: "tool",
  name: "isabelle",
  version: version.text.trim(),
  executable_sha256: createHash("sha256").update(version.text).digest("hex"),
  adapter: "isabelle example 1",
  command: ["isabelle", "build", "-o", "quick_and_dirty=false"],
});
const theories = request.files.filter(({ path }) => path.endsWith(".thy")).map(({ path }) => path);
// An assumption of a command is no oracle: whoever has such a file says so of all that is in it.
const assumed = theories.filter((path) => /\b(?:axiomatization|oracle)\b/.test(readFileSync(join(request.root, path), "utf8"))).map((path) => `${path} assumes something`);
const session = request.options.logical || "Proofshelf";
const nameOf = (path) => basename(path, ".thy");
// Isabelle's words of each theorem stand between marks that the sources cannot know.
const mark = createHash("sha256").update(`${process.pid} ${process.hrtime.bigint()}`).digest("hex").slice(0, 24);
const asks = request.ask.map(
  ({ name }, at) =>
    `ML_val \\<open>let val th = @{thm ${name.split(".").slice(-2).join(".")}} val os = map (fn ((n, _), _) => n) (Thm_Deps.all_oracles [th]) in writeln ("${mark} ${at} " ^ space_implode "," os ^ " " ^ Thm.string_of_thm \\<^context> th ^ " ${mark}") end\\<close>`,
);
writeFileSync(join(request.root, "Proofshelf_Ask.thy"), `theory Proofshelf_Ask imports ${theories.map(nameOf).map((name) => `"${name}"`).join(" ")} begin\n${asks.join("\n")}\nend\n`);
const folders = [...new Set(theories.map((path) => path.split("/").slice(0, -1).join("/") || "."))].filter((folder) => folder !== ".");
writeFileSync(
  join(request.root, "ROOT"),
  `session ${session}_Proofshelf = HOL +\n  options [quick_and_dirty = false, export_theory = true]\n${folders.length === 0 ? "" : `  directories ${folders.map((folder) => `"${folder}"`).join(" ")}\n`}  theories Proofshelf_Ask\n`,
);
const built = isabelle(["build", "-v", "-d", ".", "-o", "quick_and_dirty=false", "-o", "export_theory", `${session}_Proofshelf`], request.root);
const printed = built.ok ? isabelle(["build_log", "-H", "Output", "-T", `${session}_Proofshelf.Proofshelf_Ask`, `${session}_Proofshelf`], request.root).text : "";
const state = built.ok ? "accepted" : /Cheating requires quick_and_dirty mode/.test(built.text) ? "holes" : "rejected";
for (const path of theories) {
  say({ t: "imports", path, imports: theories.filter((other) => other !== path) });
  say({ t: "check", path, state, log: built.ok ? "" : built.text.slice(-16000) });
}
for (const [at, { key, path }] of request.ask.entries()) {
  if (!built.ok) continue;
  const [, oracles, statement = ""] = new RegExp(`${mark} ${at} (\\S*) ([^]*?) ${mark}`).exec(printed) ?? [];
  if (oracles === undefined) say({ t: "check", path, decl: key, state: "unsupported", log: "Isabelle did not say what it rests on." });
  else {
    const names = oracles === "" ? [] : oracles.split(",");
    say({ t: "decl", key, statement: statement.replace(/\s+/g, " "), type_sha256: createHash("sha256").update(statement).digest("hex") });
    for (const what of names.filter((name) => /skip_proof/.test(name))) say({ t: "hole", decl: key, what });
    say({ t: "axioms", decl: key, names, unsafe: assumed, exact: true });
  }
}
say({ t: "end", answered: request.ask.length });
