/** Events of a build that are told. Nothing of them is gated: ids of records and claims, counts, and codes. */
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { BuildEnd, Weaker } from "#generator/pipeline";

export const EVENTS = ["published", "weaker", "drift", "recalled", "failed"] as const;
export type EventName = (typeof EVENTS)[number];

export type Event = { readonly name: EventName; readonly data: Readonly<Record<string, unknown>> };

/** Told has the digest of what was told of each lasting state; "" once it is over. */
export type Told = Partial<Record<EventName, string>>;

/** Ends that are another build's business, or that of whoever typed. */
const NO_FAILURE = new Set(["build_running", "lost_race", "bad_config", "gate_refused"]);
const DRIFT: ReadonlySet<Weaker["gate"]> = new Set(["drift", "statements", "counts"]);

/** eventsOf lists the events of a build. @param told by earlier builds; what lasts is told once */
export function eventsOf(
  { config, weaker, summary, error }: BuildEnd,
  told: Told,
): { readonly events: readonly Event[]; readonly told: Told } {
  const events: Event[] = [];
  const now: Told = { ...told };
  const tellOnce = (name: EventName, data: Readonly<Record<string, unknown>> | null): void => {
    const digest = data === null ? "" : sha256(JSON.stringify(data));
    if (data !== null && digest !== told[name]) events.push({ name, data });
    now[name] = digest;
  };
  if (summary?.published === true) {
    const { snapshot, sequence, previous, added, changed, removed } = summary;
    events.push({
      name: "published",
      data: { snapshot, sequence, previous, added, changed, removed, url: `${config.baseUrl}/at/${snapshot}/` },
    });
  }
  const code = error === null ? null : error instanceof ShelfError ? error.code : "internal";
  if (weaker !== null && (code === null || code === "gate_refused"))
    for (const [name, isOf] of [
      ["weaker", ({ gate }: Weaker) => !DRIFT.has(gate) && gate !== "recall"],
      ["drift", ({ gate }: Weaker) => DRIFT.has(gate)],
      ["recalled", ({ gate }: Weaker) => gate === "recall"],
    ] as const) {
      const found = weaker.filter((one) => isOf(one) && one.what !== "object").map(({ gate, what, id }) => ({ gate, what, id }));
      tellOnce(name, found.length === 0 ? null : { refused: code === "gate_refused", found });
    }
  if (code === null || !NO_FAILURE.has(code)) tellOnce("failed", code === null ? null : { code });
  return { events, told: now };
}
