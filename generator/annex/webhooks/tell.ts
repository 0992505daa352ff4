/** The end of a build is told to addresses. Nothing here makes a build fail, or holds its lock. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWhole } from "#snapshots/shelf";
import type { BuildEnd } from "#generator/pipeline";
import { keptFile } from "#generator/files";
import { type Attempt, deliver, parseSecret } from "./deliver.ts";
import { EVENTS, type EventName, eventsOf } from "./events.ts";

const DAY_MS = 86_400_000; // for which a message is tried again
const MAX_PENDING = 100; // messages
const MAX_LINES = 1_000; // of the log

const Pending = z.object({ id: z.string(), url: z.string(), event: z.enum(EVENTS), body: z.string(), since: z.number() });
type Pending = z.infer<typeof Pending>;
const Kept = z.object({ told: z.partialRecord(z.enum(EVENTS), z.string()), pending: z.array(Pending) });

/** tellWebhooks sends the events of a build. @returns what is said to the one who builds */
export async function tellWebhooks(end: BuildEnd): Promise<readonly string[]> {
  const { config, buildDir, at } = end;
  if (config.webhooks.length === 0) return [];
  const secret = parseSecret(process.env["WEBHOOK_SECRET"]);
  if (secret === null) return ["No webhook was told: WEBHOOK_SECRET is no secret; make one with: echo whsec_$(openssl rand -base64 32)"];
  const kept = keptFile(Kept, join(buildDir, "webhooks.json"));
  const before = kept.read() ?? { told: {}, pending: [] };
  const { events, told } = eventsOf(end, before.told);
  const fresh = events.flatMap(({ name, data }) =>
    config.webhooks
      .filter((hook) => hook.events.includes(name))
      .map(({ url }): Pending => {
        const body = JSON.stringify({ type: `library.${name}`, timestamp: at.toISOString(), data });
        return { id: `msg_${randomUUID()}`, url, event: name, body, since: at.getTime() };
      }),
  );
  // An address that the configuration names no more is told nothing more.
  const allowed = new Map(config.webhooks.map(({ url, allowPrivate }) => [url, allowPrivate]));
  const due = [...before.pending, ...fresh].filter(({ url, since }) => allowed.has(url) && at.getTime() - since < DAY_MS);
  const attempts = await Promise.all(
    due.map(async (message) => ({
      message,
      attempt: await deliver(message.url, message, secret, {
        allowPrivate: allowed.get(message.url) ?? false,
      }),
    })),
  );
  const left = attempts.filter(({ attempt: { ok, gone } }) => !ok && !gone);
  kept.write({ told, pending: left.map(({ message }) => message).slice(-MAX_PENDING) });
  keepLog(join(buildDir, "deliveries.jsonl"), at, attempts);
  return left.map(
    ({ message: { url, event }, attempt: { outcome } }) =>
      `${new URL(url).host} was not told of "${event}" (${outcome}); the next build tries again.`,
  );
}

/** No path of an address is kept: it may be a secret itself. */
function keepLog(
  file: string,
  at: Date,
  attempts: readonly {
    readonly message: { readonly id: string; readonly url: string; readonly event: EventName };
    readonly attempt: Attempt;
  }[],
): void {
  if (attempts.length === 0) return;
  const lines = attempts.map(({ message: { id, url, event }, attempt: { ok, tries, outcome } }) =>
    JSON.stringify({ at: at.toISOString(), id, event, host: new URL(url).host, ok, tries, outcome }),
  );
  writeWhole(file, Buffer.from(`${[...earlierLines(file), ...lines].slice(-MAX_LINES).join("\n")}\n`));
}

function earlierLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
