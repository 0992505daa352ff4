/** Commands by which a reader does again what was done: digests of the files, and the prover over them. */
import type { Found, ScannedSource } from "./scan.ts";

/** hashRecipe compares the files with their digests. */
export function hashRecipe(shas: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(shas).map(([path, digest]) => `${digest} ${quote(path)}`);
  return `printf '%s  %s\\n' ${pairs.join(" ")} | sha256sum -c`;
}

/** recheckRecipe runs the prover over the file of a declaration; empty where nothing here runs it. */
export function recheckRecipe({ prover, module, theorem, path }: Found, { source }: ScannedSource): string {
  if (prover === "metamath") {
    const database = `${module.split(".").at(-1) ?? ""}.mm`;
    return `metamath ${[`read '${database}'`, "verify proof *", `show trace_back '${theorem}' /axioms`, "exit"].map(quote).join(" ")}`;
  }
  if (prover === "agda")
    return ["agda", "--safe", "-i", source.root === "" ? "." : source.root, ...source.flags, path].map(quote).join(" ");
  if (prover !== "coq") return "";
  const root = source.root === "" ? "." : source.root;
  const flags = `-Q ${quote(root)} ${quote(source.logical)}${source.flags.map((flag) => ` ${quote(flag)}`).join("")}`;
  const ask = [`Require ${module}.`, `Print Assumptions ${module}.${theorem}.`].map(quote).join(" ");
  // Works on a copy, so that the code store stays as it was pinned.
  return `( d=$(mktemp -d) && cp -r ${quote(root)} "$d" && cd "$d" && for f in $(find ${quote(root)} -name '*.v' | xargs coqdep ${flags} -sort); do coqc ${flags} "$f" || exit 1; done && printf '%s\\n' ${ask} > Ask.v && coqc ${flags} Ask.v )`;
}

function quote(text: string): string {
  return /^[\w./:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
