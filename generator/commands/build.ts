/** `proofshelf build` */
import { ShelfError } from "../../snapshots/errors.ts";
import { build, type BuildSummary } from "../build.ts";
import { type CommonOptions, print } from "./options.ts";
import { type Config, openConfig } from "../config/config.ts";
import { embedViews, type Embedding } from "../index/embed.ts";

export async function runBuild(
  options: CommonOptions & {
    readonly now?: string;
    readonly acceptLoss?: boolean;
    readonly keepHistory?: boolean;
    readonly repack?: boolean;
  },
): Promise<void> {
  const config = await openConfig(options.config ?? null);
  await buildAndEmbed(config, { ...options, ...(options.now === undefined ? {} : { clock: fixedClock(options.now) }) });
}

/** A build, said as soon as it is published, before its vectors are made. JSON is one document, so the vectors are said on
 *  stderr beside it. */
export async function buildAndEmbed(
  config: Config,
  options: {
    readonly json?: boolean;
    readonly clock?: () => Date;
    readonly signal?: AbortSignal;
    readonly acceptLoss?: boolean;
    readonly keepHistory?: boolean;
    readonly repack?: boolean;
  },
): Promise<void> {
  const { json, clock, signal, acceptLoss = false, keepHistory = false, repack = false } = options;
  const summary = await build(config, { acceptLoss, keepHistory, repack, ...(clock === undefined ? {} : { now: clock }) });
  print(json === undefined ? {} : { json }, summary, describe(summary));
  const embedding = describeEmbedding(await embedViews(config, signal === undefined ? {} : { signal }));
  (json === true ? process.stderr : process.stdout).write(embedding);
}

function fixedClock(text: string): () => Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new ShelfError("bad_config", "--now takes an RFC 3339 time like 2026-01-31T12:00:00Z.");
  return () => time;
}

function describe(summary: BuildSummary): string {
  const { snapshot, sequence, published, added, changed, removed, unchanged, rejected, duration_ms: ms, work, notes, unreadable } = summary;
  const lines = [
    published
      ? `Published snapshot ${sequence} (${snapshot}): ${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged.`
      : summary.internal.published
        ? `The public view has not changed; snapshot ${sequence} (${snapshot}) is served on. The internal view was published.`
        : `Nothing has changed; snapshot ${sequence} (${snapshot}) is served on.`,
    `Read ${work.read} objects, rendered ${work.rendered} pages, indexed ${work.indexed} documents in ${(ms / 1000).toFixed(1)} s.`,
    ...rejected.map((item) => `Rejected ${item.source} ${JSON.stringify(item.key)}: ${item.reason}`),
    ...unreadable.map((item) => `Not read in full ${JSON.stringify(item.key)}: ${item.notes.join("; ")}`),
    ...notes.map((note) => `Note: ${note}`),
  ];
  return `${lines.join("\n")}\n`;
}

export function describeEmbedding({ written, embedded, notice, duration_ms: ms }: Embedding): string {
  const made = written === 0 ? "" : `Made vectors of ${written} passages in ${(ms / 1000).toFixed(1)} s; the model ran for ${embedded}.\n`;
  return made + (notice === "" ? "" : `Note: ${notice}\n`);
}
