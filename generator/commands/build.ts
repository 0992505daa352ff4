/** `proofshelf build` */
import { ShelfError } from "../../snapshots/errors.ts";
import { build, type BuildSummary } from "../build.ts";
import type { CommonOptions } from "../cli.ts";
import { openConfig } from "../config.ts";
import { embedViews, type Embedding } from "../embed.ts";

export async function runBuild(options: CommonOptions & { readonly now?: string }): Promise<void> {
  const config = await openConfig(options.config ?? null);
  const summary = await build(config, options.now === undefined ? {} : { now: fixedClock(options.now) });
  const embeddings = await embedViews(config);
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ ...summary, embeddings })}\n` : describe(summary) + describeEmbedding(embeddings),
  );
}

function fixedClock(text: string): () => Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new ShelfError("bad_config", "--now takes an RFC 3339 time like 2026-01-31T12:00:00Z.");
  return () => time;
}

export function describe(summary: BuildSummary): string {
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

/** Nothing when there was nothing to do. */
export function describeEmbedding({ written, embedded, notice, duration_ms: ms }: Embedding): string {
  const made = written === 0 ? "" : `Made vectors of ${written} passages in ${(ms / 1000).toFixed(1)} s; the model ran for ${embedded}.\n`;
  return made + (notice === "" ? "" : `Note: ${notice}\n`);
}
