#!/usr/bin/env node
/** The command line: conventions "Command line". Each command is a file under commands/. */
import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import { type ErrorCode, ShelfError } from "../snapshots/errors.ts";
import { describeFailure } from "./failure.ts";
import { setVerbosity } from "./progress.ts";
import { VERSION } from "./version.ts";
import { describeCompletion, type Shell, SHELLS } from "./commands/completion.ts";
import type { CommonOptions } from "./commands/options.ts";
import type { ServeOptions } from "./commands/serve.ts";
import { describeLeaks, LeakError } from "./publish/leak-error.ts";

/** 0 done, 1 failed, 2 usage or configuration, 3 verification found something, 4 another build is running or was faster, 5 something would get weaker. */
const EXIT: Partial<Record<ErrorCode, number>> = { bad_config: 2, origin_refused: 3, build_running: 4, lost_race: 4, gate_refused: 5 };
const USAGE = 2;

// Whoever starts it: other users serve the public files. What they may not read is made with modes of its own.
process.umask(0o022);

// Who reads may stop reading, as `head` does: the rest is not written, the work goes on, and the exit code says how it ended.
process.stderr.on("error", () => undefined);
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code === "EPIPE") return;
  process.stderr.write(`Standard output cannot be written (${code}).\n`);
  process.exitCode = 1;
});

const program = new Command("proofshelf")
  .description("Turns a folder of files and a registry of proof records into an immutable, verifiable snapshot, and serves it.")
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError("Try --help.")
  .enablePositionalOptions();

/** The library of the folder that somebody stands in. */
const USUAL = existsSync("proofshelf.yaml") ? "proofshelf.yaml" : undefined;

function command(name: string, description: string, parent: Command = program): Command {
  return parent
    .command(name)
    .description(description)
    .option("--config <file>", "without it ./proofshelf.yaml, or the demo library where there is none", USUAL)
    .option("--json", "one JSON document on stdout and nothing else")
    .option("--quiet", "say only what is wrong or worth a note")
    .option("--verbose", "say all, however long it is")
    .hook("preAction", (_, action) => {
      const { quiet, verbose } = action.opts<CommonOptions>();
      setVerbosity(quiet === true ? "quiet" : verbose === true ? "verbose" : "normal");
    });
}

command("init", "Write a first proofshelf.yaml, from the folders that are there")
  .argument("[folder]", "holds the library", ".")
  .action(async (folder: string, options: CommonOptions) => (await import("./commands/init.ts")).runInit(folder, options));

const configuration = program.command("config").description("Look at the configuration");
command("check", "Say what is wrong with it, and how many objects each collection has", configuration).action(
  async (options: CommonOptions) => (await import("./commands/config.ts")).runConfigCheck(options),
);
configuration
  .command("schema")
  .description("The JSON Schema of the file, for editors")
  .option("--withdrawals", "of the file of withdrawals")
  .action(async (options: { withdrawals?: boolean }) => (await import("./commands/config.ts")).printConfigSchema(options));

command("build", "Read the sources and publish a snapshot if anything changed")
  .option("--now <time>", "use this RFC 3339 time instead of the clock")
  .option("--accept-loss", "publish although the store, the registry or the claims lost everything, or more than half")
  .option("--accept <id...>", "records and claims that may get weaker, or whose evidence need not hold; with --reason")
  .option("--reason <text>", "why; kept with the snapshot, for everybody to read")
  .option("--adopt", "build a shelf that another configuration has built so far")
  .option("--keep-history", "leave earlier snapshots in service that hold what is gated now")
  .option("--prune", "then remove old snapshots, by keep of the configuration")
  .option("--repack", "bring all blobs into packs, also those that an earlier version left in files of their own")
  .option("--keys <file>", "look only at the keys in this JSON list, because nothing else in the store has changed; - is standard input")
  .option("--plan", "say what would be done and why, and change nothing")
  .action(
    async (
      options: CommonOptions & {
        now?: string;
        acceptLoss?: boolean;
        accept?: string[];
        reason?: string;
        adopt?: boolean;
        prune?: boolean;
        keepHistory?: boolean;
        repack?: boolean;
        keys?: string;
        plan?: boolean;
      },
    ) =>
      options.plan === true
        ? (await import("./commands/plan.ts")).runPlan(options)
        : (await import("./commands/build.ts")).runBuild(options),
  );

command("serve", "Serve the newest snapshot, and follow new ones")
  .option("--port <number>", "0 takes a free one", "4321")
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--build", "build first")
  .option("--every <period>", "build now and then in every period: 6h, 30m, 1d")
  .option("--no-rate-limits", "behind a gateway that limits clients itself")
  .option("--metrics <[host:]port>", "also answer /metrics (Prometheus) and /ready there; 0 takes a free port")
  .option("--access-log", "log public reads, too, one JSON line each on stderr")
  .addOption(new Option("--only <part>", "one part of the service").choices(["site", "sidecar"]))
  .action(async (options: ServeOptions) => (await import("./commands/serve.ts")).runServe(options));

command("verify", "Hash everything again, derive everything again, compare, and look for leaks")
  .option("--all", "every kept snapshot, not only the current one")
  .option("--since <sequence or file>", "the newest snapshot that is known to have been published: its number, or a copy of current.json")
  .option("--receipt <file>", "check the receipt of an answer instead")
  .action(async (options: CommonOptions & { all?: boolean; since?: string; receipt?: string }) =>
    (await import("./commands/verify.ts")).runVerify(options),
  );

command("repair", "Mend what is damaged, and say what is lost").action(async (options: CommonOptions) =>
  (await import("./commands/repair.ts")).runRepair(options),
);

const snapshots = program.command("snapshots").description("List, compare and roll back snapshots");
command("list", "Kept snapshots, newest first", snapshots)
  .option("--limit <number>", "how many; 0 lists all", "50")
  .action(async (options: CommonOptions & { limit: string }) => (await import("./commands/snapshots.ts")).runList(options));
command("diff", "What changed between two snapshots (id, unique beginning of one, or sequence number)", snapshots)
  .argument("<a>")
  .argument("<b>")
  .action(async (a: string, b: string, options: CommonOptions) => (await import("./commands/snapshots.ts")).runDiff(a, b, options));
command("rollback", "Serve an earlier snapshot again", snapshots)
  .argument("<id>")
  .option("--reveal", "also when it makes public again what is gated now")
  .action(async (id: string, options: CommonOptions & { reveal?: boolean }) =>
    (await import("./commands/snapshots.ts")).runRollback(id, options),
  );

command("keygen", "Make a key that signs the log of publications: what to write into the configuration, and LOG_KEY")
  .argument("[origin]", "name of the log; by default the address of the configuration")
  .action(async (origin: string | undefined, options: CommonOptions) => (await import("./commands/log.ts")).runKeygen(origin, options));

const log = program.command("log").description("Look after the log of publications");
command("cosigned", "Keep the signatures that others have put under a checkpoint", log)
  .argument("<file>", "the checkpoint, with their signatures")
  .action(async (file: string, options: CommonOptions) => (await import("./commands/log.ts")).runCosigned(file, options));

const shelf = program.command("shelf").description("Move a shelf");
command("copy", "Copy a whole shelf between a folder and a bucket, or two buckets; what is there already is not sent again", shelf)
  .argument("<from>", "a folder, or s3://BUCKET/PREFIX")
  .argument("<to>", "the other; empty, or an earlier state of the same shelf")
  .option("--endpoint <url>", "address of the store, if it is not AWS")
  .option("--region <name>", "region of the bucket")
  .action(async (from: string, to: string, options: CommonOptions & { endpoint?: string; region?: string }) =>
    (await import("./commands/shelf.ts")).runShelfCopy(from, to, options),
  );

const registry = program.command("registry").description("Look at a registry of proof records");
command("check", "Say what is wrong with a registry's file; with --config, also against the code store", registry)
  .argument("<file>")
  .option("--counts", "write the counts that follow from the records into the file")
  .action(async (file: string, options: CommonOptions & { counts?: boolean }) =>
    (await import("./commands/registry.ts")).runRegistryCheck(file, options),
  );

command("prune", "Remove old snapshots and every blob that no kept one needs")
  .option("--keep <number>", "newest snapshots to keep; by default keep of the configuration, else 10")
  .action(async (options: CommonOptions & { keep?: string }) => (await import("./commands/prune.ts")).runPrune(options));

command("export", "Write the public view as plain files for any static host")
  .argument("<target>", "a new folder or an earlier export, or s3://BUCKET/PREFIX, where only what has changed is written")
  .option("--with-history", "also every kept snapshot whole, under at/<id>/")
  .option("--endpoint <url>", "address of a store other than AWS, for s3://")
  .option("--region <name>", "region of the bucket; us-east-1 when left out")
  .option("--gzip", "for s3://: pages, JSON, scripts and styles lie there compressed")
  .action(async (target: string, options: CommonOptions & { withHistory?: boolean; gzip?: boolean; endpoint?: string; region?: string }) =>
    (await import("./commands/export.ts")).runExport(target, options),
  );

command("mirror", "Copy somebody's public library, and check every byte of it; serve --only site on the copy answers as the origin does")
  .argument("<url>", "address of the library")
  .argument("<dir>", "a new folder, or an earlier copy, of which only what is missing is fetched")
  .option("--key <key>", "the public key of its log, as its owner tells it; without it the first one that is seen is believed")
  .option("--every <period>", "follow it: copy now and then in every period: 6h, 30m, 1d")
  .action(async (url: string, dir: string, options: CommonOptions & { key?: string; every?: string }) =>
    (await import("./commands/mirror.ts")).runMirror(url, dir, options),
  );

command("audit", "Check somebody's public library from outside: who signed it, that nothing was rewritten, and every file of it")
  .argument("<url>", "address of the library")
  .option("--key <key>", "the public key of its log, as its owner tells it; without it the one that it names is believed")
  .option("--state <file>", "remembers what was seen, for the next audit")
  .option("--since <checkpoint>", "a file that is a copy of /shelf/checkpoint, which the log must go on from")
  .option("--sample <number>", "look at so many files at random instead of all")
  .option("--full", "also derive again everything that is derived")
  .action(async (url: string, options: CommonOptions & { key?: string; state?: string; since?: string; sample?: string; full?: boolean }) =>
    (await import("./commands/audit.ts")).runAudit(url, options),
  );

command("schedule", "Build now and then every few hours")
  .option("--every <period>", "between builds: 6h, 30m, 1d", "6h")
  .action(async (options: CommonOptions & { every: string }) => (await import("./commands/schedule.ts")).runSchedule(options));

program
  .command("completion")
  .description("A script that lets a shell complete commands: source <(proofshelf completion bash)")
  .addArgument(new Argument("<shell>").choices(SHELLS))
  .action((shell: Shell) => {
    process.stdout.write(describeCompletion(program, shell));
  });

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const json = process.argv.includes("--json");
  if (error instanceof ShelfError) {
    const { code, message, errors, fixes } = error;
    const leaks = error instanceof LeakError ? error.leaks : undefined;
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, errors, fixes, leaks } })}\n`);
    process.stderr.write(`${message}\n${describeLeaks(leaks ?? [])}${error.fixes.map((fix) => `  ${fix}\n`).join("")}`);
    return EXIT[error.code] ?? 1;
  }
  const message = describeFailure(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code: "build_failed", message, errors: [], fixes: [] } })}\n`);
  process.stderr.write(`${message}\n`);
  return 1;
}
