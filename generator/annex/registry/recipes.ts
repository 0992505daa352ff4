/** Commands by which a reader does again what was done, from the folder of the repository's files: digests of the files, and the prover over them.
 *  Each runs as it is pasted, whatever blanks and quotes names have, and ends with another code than 0 where it does not hold. */
import type { CheckStatement } from "./attest.ts";
import { findLoaded, namedByLoad } from "./coq-load.ts";
import { coqArguments, coqModuleOf, coqPathsOf, folderOf, isBelow } from "./coq-paths.ts";
import { accepts, type Verdict } from "./states.ts";
import { type FoundDeclaration, fullName, type ScannedSource } from "./scan.ts";

/** hashRecipe compares the files with their digests. */
export function hashRecipe(shas: Readonly<Record<string, string>>): string {
  const lines = Object.entries(shas).map(([path, digest]) => {
    // A name with a line break or a backslash stands escaped, after a backslash.
    const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    return quote(`${escaped === path ? "" : "\\"}${digest}  ${escaped}`);
  });
  return `printf '%s\\n' ${lines.join(" ")} | sha256sum -c`;
}

/** The parts of a check that a recipe follows from. */
type Told = { readonly check: Pick<CheckStatement["predicate"], "imports">; readonly axioms: readonly string[] | null } & Pick<
  Verdict,
  "state"
>;

/** recheckRecipe runs the prover over the file of a declaration and all that it needs, as the check names it; empty where nothing here runs it. */
export function recheckRecipe(one: FoundDeclaration, source: ScannedSource, told: Told | undefined): string {
  if (one.prover === "metamath") return metamathRecipe(one);
  if (one.prover === "agda") return agdaRecipe(one, source, told);
  return one.prover === "coq" ? coqRecipe(one, source, told) : "";
}

function coqRecipe(one: FoundDeclaration, { source, files }: ScannedSource, told: Told | undefined): string {
  const paths = coqPathsOf(source);
  const { main, path } = one;
  const imports = told?.check.imports[path];
  const module = coqModuleOf(paths, main);
  if (imports === undefined || module === null) return "";
  const there = [...imports, path].filter((name) => files.has(name));
  const texts = new Map(there.map((name) => [name, new TextDecoder().decode(files.get(name))]));
  const loaded = new Set(there.flatMap((name) => namedByLoad(texts.get(name) ?? "").map((word) => findLoaded(word, name, there))));
  // The check names each file after what it needs. What is loaded is no file of its own.
  const compiled = [...there.filter((name) => name !== main && !loaded.has(name)), main];
  const coqc = ["coqc", ...coqArguments(paths), ...source.flags].map(quote).join(" ");
  const lacking = paths.map(({ folder }) => folder).filter((folder) => folder !== "" && !there.some((name) => isBelow(name, folder)));
  const name = fullName(one);
  const ask = [`Require ${module}.`, `Print Assumptions ${name}.`].map(quote).join(" ");
  // Coq shortens names. What it lists besides the axioms that the check has is left open, or switched off.
  const axioms = told !== undefined && accepts(told) ? (told.axioms ?? []) : [];
  const judge = `BEGIN { n = split(ok, axioms, " ") } { print } /^(Axioms:|Closed under the global context)$/ { seen = 1; next } /^Fetching opaque/ { next } /^[^ ]/ { known = 0; for (i = 1; i <= n; i++) if (substr("." axioms[i], length(axioms[i]) - length($1) + 1) == "." $1) known = 1; if (!known) open = 1 } END { exit open || !seen }`;
  const steps = [
    ...copyTo(
      compiled,
      there.filter((name) => loaded.has(name) && name !== main),
    ),
    ...(lacking.length === 0 ? [] : [`mkdir -p ${lacking.map((folder) => quote(`./${folder}`)).join(" ")}`]),
    `for f; do ${coqc} "$f" || exit 1; done`,
    `printf '%s\\n' ${ask} > ProofshelfAsk.v`,
    `${coqc} ProofshelfAsk.v | awk -v ok=${quote(axioms.join(" "))} ${quote(judge)}`,
  ];
  return `( ${steps.join(" && ")} )`;
}

function agdaRecipe({ path }: FoundDeclaration, { source, files }: ScannedSource, told: Told | undefined): string {
  const there = [...(told?.check.imports[path] ?? []), path].filter((name) => files.has(name));
  const root = folderOf(source.root);
  // A theorem that rests on postulates is accepted, and is not safe.
  const safe = told?.axioms?.length === 0 ? ["--safe"] : [];
  const agda = ["agda", ...safe, "-i", root === "" ? "." : root, ...source.flags, path].map(quote).join(" ");
  return told === undefined ? "" : `( ${[...copyTo(there), `LC_ALL=C.UTF-8 ${agda}`].join(" && ")} )`;
}

function metamathRecipe({ main, theorem }: FoundDeclaration): string {
  const folder = main.slice(0, Math.max(0, main.lastIndexOf("/")));
  const commands = [
    `read '${main.slice(folder === "" ? 0 : folder.length + 1)}'`,
    "verify proof *",
    `show trace_back '${theorem}'`,
    `show trace_back '${theorem}' /axioms`,
    "exit",
  ];
  // The program ends with 0 whatever it has read, and other proofs of the database may be wrong.
  const judge =
    '{ print; for (i = 1; i <= NF; i++) if (trace && ($i in wrong)) bad = 1 } /^[?]/ { if (match($0, /label "[^"]+", type "[$]p":$/)) wrong[substr($0, RSTART + 7, RLENGTH - 20)] = 1; else if (/^[?](Error|Sorry|Expected)/) bad = 1 } /^All proofs in the database|were not proved:/ { seen = 1 } /^MM> show/ { trace = 1 } trace && /were not proved:/ { bad = 1 } END { exit bad || !seen || (t in wrong) }';
  const steps = [
    ...(folder === "" ? [] : [`cd ${quote(folder)}`]),
    `metamath ${commands.map(quote).join(" ")} | awk -v t=${quote(theorem)} ${quote(judge)}`,
  ];
  return `( ${steps.join(" && ")} )`;
}

/** copyTo works on a copy of these files, so that the code store stays as it was pinned. The first are the arguments of what follows. */
function copyTo(files: readonly string[], others: readonly string[] = []): string[] {
  const [all, more] = [files, others].map((some) => some.map((file) => ` ${quote(file)}`).join(""));
  return [`set --${all}`, "d=$(mktemp -d)", `trap 'rm -rf "$d"' EXIT`, `cp --parents "$@"${more} "$d"`, `cd "$d"`];
}

function quote(text: string): string {
  return /^[\w./:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
