/** The adapter of lean4export, a program of its own. It runs no Lean: the export was made where Lean is, of files whose digests stand beside it
 *  (FILE.sha256, as sha256sum writes it), and says nothing of files with other bytes. */
import { say, serveAdapter } from "./adapter.ts";
import { type LeanExport, openLeanRests, readLeanExport } from "./lean-export.ts";
import { isLeansOwn, leanWords } from "./lean-axioms.ts";
import { describeChanged, LEAN_EXPORT_ADAPTER } from "./lean-tool.ts";
import { type AdapterRequest, EVERY } from "./request.ts";

async function run(request: AdapterRequest): Promise<void> {
  const file = request.options.exported;
  const { meta, constants, sha256: digest } = await readLeanExport(file);
  say({
    t: "tool",
    name: meta.exporter.name,
    version: `${meta.exporter.version} (Lean ${meta.lean.version})`,
    executable_sha256: digest,
    adapter: LEAN_EXPORT_ADAPTER,
    command: ["lake", "env", "lean4export"],
  });
  const log = describeChanged(request);
  for (const path of new Set(request.ask.map((one) => one.path))) {
    say({ t: "imports", path, imports: [EVERY] });
    // The one who exported it says that Lean accepted it; no kernel has looked here.
    say({ t: "check", path, state: log === "" ? "exported" : "environment", log });
  }
  if (log === "") tell(request, constants);
}

function tell(request: AdapterRequest, constants: LeanExport["constants"]): void {
  const { ask, own } = request;
  const known = new Set([...own, ...ask.map(({ name }) => name)]);
  const named = new Set<string>();
  /** Constructors, and what Lean makes beside a declaration, have names below its name. */
  const isOwn = (name: string): boolean => known.has(name) || (name.includes(".") && isOwn(name.slice(0, name.lastIndexOf("."))));
  const restsOf = openLeanRests(
    constants,
    ask.map(({ name }) => name),
  );
  for (const { key, name, path } of ask) {
    const one = constants.get(name);
    const { names, unsafe, missing } = restsOf(name);
    if (one === undefined || missing.length > 0) {
      const what = one === undefined ? "nothing of this name" : `not all that it rests on: ${missing.slice(0, 5).join(", ")}`;
      say({ t: "check", path, decl: key, state: "unsupported", log: `The export has ${what}.` });
      continue;
    }
    const words = leanWords(one.statement, constants, (word) => known.has(word));
    const mentions = one.statement.filter(isOwn);
    say({ t: "decl", key, statement: one.printed, type_sha256: one.type, is_words: false, mentions, words });
    for (const to of mentions) named.add(to);
    if (names.includes("sorryAx")) say({ t: "hole", decl: key, what: "sorryAx" });
    say({ t: "axioms", decl: key, names, own: names.filter((axiom) => !isLeansOwn(axiom, constants)), unsafe, exact: true });
    for (const part of ["statement", "proof"] as const)
      for (const to of one[part]) if (to !== name && known.has(to)) say({ t: "edge", from: key, to, part, basis: "kernel" });
  }
  for (const name of named) {
    const one = constants.get(name);
    if (one === undefined) continue;
    const mentions = [...new Set([...one.statement, ...(one.kind === "thm" ? [] : one.proof)])].filter((to) => to !== name && isOwn(to));
    for (const to of mentions) named.add(to);
    say({ t: "definition", name, sha256: one.meaning, mentions });
  }
}

await serveAdapter(run);
