#!/usr/bin/env node
/** The command line: conventions "Command line". Each command is a file under commands/. */
import { Argument, Command, CommanderError, Option } from "commander";
import { type ErrorCode, ShelfError } from "#snapshots/errors";
import { guardTerminal } from "#snapshots/terminal";
import manifest from "../package.json" with { type: "json" };
import { describeCompletion, type Shell, SHELLS } from "./completion.ts";
import type { CommonOptions } from "#generator/commands";
import type { Annexes } from "#generator/pipeline";

/** 0 done, 1 failed, 2 usage or configuration, 3 verification found something, 4 another build is running or was faster, or a prover could not be run, 5 something would get weaker. */
const EXIT: Partial<Record<ErrorCode, number>> = { bad_config: 2, origin_refused: 3, build_running: 4, lost_race: 4, gate_refused: 5 };
const USAGE = 2;

/** program holds every command; the guide to the command line is made from it. */
export const program = new Command("proofshelf")
  .description("Turns a folder of files and a registry of proof records into an immutable, verifiable snapshot, and serves it.")
  .version(manifest.version)
  .exitOverride()
  .enablePositionalOptions();

/** Loads the function that a command runs; arguments and options of the command are what it is given. */
type Load = (...given: never[]) => Promise<(...given: never[]) => unknown>;

/** run makes the action of a command. Commander hands over arguments, options, and the command itself. Annexes are loaded whatever the command
 *  does: their keys stand in the configuration. */
const run =
  (load: Load, pick: (annexes: Annexes) => readonly unknown[] = () => []) =>
  async (...handed: unknown[]): Promise<void> => {
    (await import("#generator/files")).checkTemporaryFolder();
    const given = handed.slice(0, -1) as never[];
    const { ANNEXES } = await import("./annexes.ts");
    await (await load(...given))(...given, ...(pick(ANNEXES) as never[]));
  };

/** The same for what is given the annexes, too. */
const withAnnexes = (load: Load) => run(load, (annexes) => [annexes]);

function command(name: string, description: string, parent: Command = program): Command {
  return parent
    .command(name)
    .description(description)
    .option("--config <file>", "without it the proofshelf.yaml of this folder, or of the nearest one above it")
    .option("--demo", "the demo library that comes with the program")
    .option("--json", "one JSON document on stdout and nothing else")
    .option("--quiet", "say only what is wrong or worth a note")
    .option("--verbose", "say all, however long it is")
    .hook("preAction", async (_, action) => {
      const { quiet, verbose } = action.opts<CommonOptions>();
      const { setVerbosity } = await import("#generator/files");
      setVerbosity(quiet === true ? "quiet" : verbose === true ? "verbose" : "normal");
    });
}

command("init", "Write a first proofshelf.yaml, from the folders that are there")
  .argument("[folder]", "holds the library", ".")
  .action(run(async () => (await import("#generator/commands")).runInit));

const configuration = program.command("config").description("Look at the configuration");
command("check", "Say what is wrong with it, and how many objects each collection has", configuration).action(
  withAnnexes(async () => (await import("#generator/commands")).runConfigCheck),
);
configuration
  .command("schema")
  .description("The JSON Schema of the file, for editors")
  .option("--claims", "of the file of claims")
  .option("--registry", "of the registry of proof records")
  .option("--withdrawals", "of the file of withdrawals")
  .option("--json", "it is JSON anyway")
  .action(run(async () => (await import("#generator/commands")).printConfigSchema));

command("build", "Read the sources and publish a snapshot if anything changed")
  .option("--now <time>", "use this RFC 3339 time instead of the clock")
  .option("--accept-loss", "publish although the store, the registry or the claims lost everything, or more than half")
  .option("--accept <id...>", "records and claims that may get weaker, or whose evidence need not hold; with --reason")
  .option("--reason <text>", "why; kept with the snapshot, for everybody to read")
  .option("--adopt", "build a shelf that another configuration has built so far")
  .option("--keep-history", "leave earlier snapshots in service that hold what is gated now")
  .option("--keys <file>", "look only at the keys in this JSON list, because nothing else in the store has changed; - is standard input")
  .option("--plan", "say which objects would be read and why, and change nothing")
  .action(
    withAnnexes(async ({ plan }: { plan?: boolean }) =>
      plan === true ? (await import("#generator/commands")).runPlan : (await import("#generator/commands")).runBuild,
    ),
  );

command("serve", "Serve the newest snapshot, and follow new ones")
  .addOption(new Option("--port <number>", "0 takes a free one").default("4321").env("PORT"))
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--build", "build first")
  .option("--try-internal", "let yourself in to what is gated, on this machine alone: the link that is printed is good for a day")
  .option("--every <period>", "build now and then in every period: 6h, 30m, 1d")
  .option("--no-rate-limits", "behind a gateway that limits clients itself")
  .option("--metrics <[host:]port>", "also answer /metrics (Prometheus) and /ready there; 0 takes a free port")
  .option("--access-log", "log public reads, too, one JSON line each on stderr")
  .addOption(new Option("--only <part>", "one part of the service").choices(["site", "sidecar"]))
  .action(withAnnexes(async () => (await import("#generator/commands")).runServe));

command("verify", "Hash everything again, derive everything again, compare, and look for leaks")
  .option("--all", "every kept snapshot, not only the current one")
  .option("--since <sequence or file>", "the newest snapshot that is known to have been published: its number, or a copy of current.json")
  .option("--receipt <file>", "check the receipt of an answer, or the proof of a record, instead")
  .option("--key <key...>", "of a proof: public keys of the log and of its witnesses, in place of those of the configuration")
  .action(withAnnexes(async () => (await import("#generator/commands")).runVerify));

command("repair", "Mend what is damaged, and say what is lost").action(
  withAnnexes(async () => (await import("#generator/annex/repair")).runRepair),
);

const snapshots = program.command("snapshots").description("List, compare and roll back snapshots");
command("list", "Kept snapshots, newest first", snapshots)
  .option("--limit <number>", "how many; 0 lists all", "50")
  .action(withAnnexes(async () => (await import("#generator/annex/history")).runList));
command("diff", "What changed between two snapshots (id, unique beginning of one, or sequence number)", snapshots)
  .argument("<a>")
  .argument("<b>")
  .action(withAnnexes(async () => (await import("#generator/annex/history")).runDiff));
command("rollback", "Serve an earlier snapshot again", snapshots)
  .argument("<id>")
  .option("--reveal", "also when it makes public again what is gated now")
  .action(withAnnexes(async () => (await import("#generator/annex/history")).runRollback));

command("keygen", "Make a key that signs the log of publications: what to write into the configuration, and LOG_KEY")
  .argument("[origin]", "name of the log; by default the address of the configuration")
  .action(run(async () => (await import("#generator/annex/trust")).runKeygen));

const log = program.command("log").description("Look after the log of publications");
command("cosigned", "Keep the signatures that others have put under a checkpoint", log)
  .argument("<file>", "the checkpoint, with their signatures")
  .action(withAnnexes(async () => (await import("#generator/annex/trust")).runCosigned));

const shelf = program.command("shelf").description("Move a shelf");
command("copy", "Copy a whole shelf between a folder and a bucket; what is there already is not sent again", shelf)
  .argument("<from>", "a folder, or s3://BUCKET/PREFIX")
  .argument("<to>", "the other; empty, or an earlier state of the same shelf")
  .option("--endpoint <url>", "address of the store, if it is not AWS")
  .option("--region <name>", "region of the bucket")
  .action(run(async () => (await import("#generator/annex/bucket")).runShelfCopy));

const registry = program.command("registry").description("Look at a registry of proof records");
command(
  "check",
  "Say what is wrong with a registry's file, or with a registry.yaml and its checks; with --config, also against the code store",
  registry,
)
  .argument("<file>")
  .option("--counts", "write the counts that follow from the records into the file")
  .option("--trust <key...>", "of a registry.yaml: further public keys whose checks count")
  .action(
    withAnnexes(async (file: string) =>
      /\.ya?ml$/.test(file)
        ? (await import("#generator/annex/registry")).runSourcesCheck
        : (await import("#generator/commands")).runRegistryCheck,
    ),
  );

const SOURCES = ["--sources <file>", "names the sources; that of the configuration, or registry.yaml"] as const;
command("init", "Look at a git repository of proofs, and write a first registry.yaml", registry)
  .option("--git <dir>", "the repository", ".")
  .option("--name <name>", "of the repository in ids and records; that of its origin, or of the folder")
  .option(...SOURCES)
  .action(run(async () => (await import("#generator/annex/registry")).runRegistryInit));
command("scan", "Read the sources, give each record its id, and say what changed; no prover runs", registry)
  .option(...SOURCES)
  .option("--source <repo>", "with --rev: whose")
  .option("--rev <revision>", "another revision of that source")
  .option("--plan", "say what would be written, and write nothing")
  .option("--accept <id...>", "ids whose rename or change is meant; with --reason")
  .option("--reason <text>", "why; kept in the lock")
  .option("--out <file>", "also write the registry as JSON")
  .action(run(async () => (await import("#generator/annex/registry")).runRegistryScan));
command("diff", "What the declarations of a source are at one revision, and at another", registry)
  .argument("<a>")
  .argument("<b>")
  .option(...SOURCES)
  .option("--source <repo>", "which source; the first")
  .action(run(async () => (await import("#generator/annex/registry")).runRegistryDiff));
command("recheck", "Run the provers, in a sandbox, over what has changed since it was checked, and keep what they say", registry)
  .argument("[ids...]", "only these records")
  .option(...SOURCES)
  .option("--jobs <number>", "programs at once", "1")
  .option("--force", "also what has not changed")
  .option("--limit <minutes>", "end after so long; what is done is kept, and the next run goes on from there")
  .option("--require <prover...>", "fail when one of them is not installed")
  .option("--require-all", "exit code 3 unless everything that is listed is accepted")
  .option("--exact", "ask of each theorem which of the axioms of its file are its own, also where the policy allows them all")
  .option("--no-second", "leave out coqchk, which looks over what Coq accepted; the records say so")
  .option("--unsandboxed", "trust the sources; the check says so")
  .action(run(async () => (await import("#generator/annex/registry")).runRecheck));
command("graph", "What a record uses and what uses it, from the checks; with --json or --dot all of it", registry)
  .argument("<id>")
  .option(...SOURCES)
  .option("--depth <number>", "steps", "2")
  .option("--dot", "for Graphviz")
  .action(run(async () => (await import("#generator/annex/registry")).runGraph));
command("explain", "Why a record's state is what it is: which check or which line says so", registry)
  .argument("<id>")
  .option(...SOURCES)
  .action(run(async () => (await import("#generator/annex/registry")).runExplain));
command("axioms", "What records rest on, by what it is; exit code 3 where a policy does not allow it", registry)
  .argument("[ids...]", "only these records")
  .option(...SOURCES)
  .option("--allow <name...>", "as if the policy named these, too")
  .action(run(async () => (await import("#generator/annex/registry")).runAxioms));
command(
  "advisories",
  "Known holes of the checkers that accepted records, and which records may use one; exit code 3 where some may",
  registry,
)
  .option(...SOURCES)
  .action(run(async () => (await import("#generator/annex/registry")).runAdvisories));
command("sign", "Sign what somebody says of statements: each review in that name becomes a statement beside the checks", registry)
  .argument("<name>", "by, as the files of reviews say it")
  .option(...SOURCES)
  .action(run(async () => (await import("#generator/annex/registry")).runRegistrySign));
registry
  .command("schema")
  .description("The JSON Schema of a file that people write, for editors")
  .addArgument(
    new Argument("<sources|overlay|lock|advisories|reviews>", "which file").choices([
      "sources",
      "overlay",
      "lock",
      "advisories",
      "reviews",
    ]),
  )
  .option("--json", "it is JSON anyway")
  .action(run(async () => (await import("#generator/annex/registry")).printSchema));
command("adapters", "Which provers are here, and whether they can be run safely", registry).action(
  run(async () => (await import("#generator/annex/registry")).runAdapters),
);
command("import", "Make an overlay of a table", registry)
  .requiredOption("--csv <file>", "columns are members of records; id, or repo, module and name, say of which")
  .option("--out <file>", "by default registry.overlay.yaml")
  .action(run(async () => (await import("#generator/annex/registry")).runRegistryImport));

command("import", "Write a file for each work of a list, and into the configuration who made it and where it comes from")
  .addArgument(new Argument("<form>", "what the list is").choices(["bibtex", "zenodo-json", "csv"]))
  .argument("<file>", "the list")
  .option("--to <prefix>", "folder of the library that the files are written into", "works/")
  .action(run(async () => (await import("#generator/annex/import")).runImport));

command("prune", "Remove old snapshots and every blob that no kept one needs")
  .option("--keep <number>", "newest snapshots to keep; by default keep of the configuration, else 10")
  .action(withAnnexes(async () => (await import("#generator/commands")).runPrune));

command("export", "Write the public view as plain files for any static host")
  .argument("<target>", "a new folder or an earlier export, or s3://BUCKET/PREFIX, where only what has changed is written")
  .option("--with-history", "also every kept snapshot whole, under at/<id>/")
  .option("--without-shelf", "without shelf/, by which others mirror and audit the library")
  .option("--without-search", "without the search in the browser, which has a file for each page")
  .option("--endpoint <url>", "address of a store other than AWS, for s3://")
  .option("--region <name>", "region of the bucket; us-east-1 when left out")
  .option("--gzip", "for s3://: pages, JSON, scripts and styles lie there compressed")
  .action(withAnnexes(async () => (await import("#generator/annex/export")).runExport));

command("mirror", "Copy somebody's public library, and check every byte of it; serve --only site on the copy answers as the origin does")
  .argument("<url>", "address of the library")
  .argument("<dir>", "a new folder, or an earlier copy, of which only what is missing is fetched")
  .option("--key <key>", "the public key of its log, as its owner tells it; without it the first one that is seen is believed")
  .option("--every <period>", "follow it: copy now and then in every period: 6h, 30m, 1d")
  .option("--max-bytes <size>", "what one run may fetch: 500m, 20g; what is free on the disk but for a tenth when left out")
  .action(run(async () => (await import("#generator/annex/trust")).runMirror));

command("audit", "Check somebody's public library from outside: who signed it, that nothing was rewritten, and every file of it")
  .argument("<url>", "address of the library")
  .option("--key <key>", "the public key of its log, as its owner tells it; without it the one that it names is believed")
  .option("--state <file>", "remembers what was seen, for the next audit")
  .option("--since <checkpoint>", "a file that is a copy of /shelf/checkpoint, which the log must go on from")
  .option("--sample <number>", "look at so many files at random instead of all")
  .option("--full", "also derive again everything that is derived")
  .action(run(async () => (await import("#generator/annex/trust")).runAudit));

command("schedule", "Build now and then every few hours")
  .option("--every <period>", "between builds: 6h, 30m, 1d", "6h")
  .action(withAnnexes(async () => (await import("#generator/commands")).runSchedule));

program
  .command("completion")
  .description("A script that lets a shell complete commands: source <(proofshelf completion bash)")
  .addArgument(new Argument("<shell>").choices(SHELLS))
  .action((shell: Shell) => {
    process.stdout.write(describeCompletion(program, shell));
  });

/** Says behind an error how the command is used. */
function tellUsage(one: Command, above = ""): void {
  const name = `${above}${one.name()}`;
  one.showHelpAfterError(`Usage: ${name} ${one.usage()}\nTry --help.`);
  for (const below of one.commands) tellUsage(below, `${name} `);
}
tellUsage(program);

/** runProgram runs one command and sets `process.exitCode`. @param args without the program's name */
export async function runProgram(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = await report(error, args.includes("--json"));
  }
}

/** main runs the command that this process was started with. */
export async function main(): Promise<void> {
  // The mask is the same for everybody who starts it: other users serve the public files. Files that they may not read are made with modes of their
  // own.
  process.umask(0o022);
  guardTerminal();
  // A reader may stop reading, as `head` does: the rest is not written, the work goes on, and the exit code says how it ended.
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return;
    process.stderr.write(`Standard output cannot be written (${code}).\n`);
    process.exitCode = 1;
  });
  await runProgram(process.argv.slice(2));
}

if (import.meta.main) await main();

async function report(error: unknown, json: boolean): Promise<number> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Commander has said it on stderr.
    const message = error.code === "commander.help" ? "Name one of the commands." : error.message.replace(/^error: /, "");
    if (json) printError({ code: "bad_config", message });
    for (const name of namesakes(message)) process.stderr.write(`There is: proofshelf ${name}\n`);
    return USAGE;
  }
  const { describeFailure, detailOf, withoutPlaces } = await import("#generator/files");
  if (error instanceof ShelfError) {
    const { code, message, errors, fixes } = error;
    const leaks = "leaks" in error ? error.leaks : undefined;
    if (json) printError({ code, message, errors, fixes, leaks });
    process.stderr.write(`${message}\n${detailOf(error)}${error.fixes.map((fix) => `  ${fix}\n`).join("")}`);
    return EXIT[error.code] ?? 1;
  }
  const message = describeFailure(error);
  if (json) printError({ code: "build_failed", message: withoutPlaces(error, message) });
  process.stderr.write(`${message}\n`);
  return 1;
}

/** Commands of a group that somebody calls without it. */
function namesakes(message: string): readonly string[] {
  const [, word] = /^unknown command '([^']+)'/.exec(message) ?? [];
  return program.commands.flatMap((group) =>
    group.commands.filter((one) => one.name() === word).map((one) => `${group.name()} ${one.name()}`),
  );
}

function printError(error: { readonly code: ErrorCode; readonly message: string } & Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ error: { errors: [], fixes: [], ...error } })}\n`);
}
