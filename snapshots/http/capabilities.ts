/** GET /api/capabilities and GET /health: what the running process offers, read from its state (conventions "Bodies"). */
import { INTERFACE_VERSION } from "#snapshots/routes";
import { CLAIMS_WORDS, findLost, findRecalled, nameSome, pagePath, REGISTRY_WORDS, countOf } from "#snapshots/format";
import type { Capabilities, Component, Health } from "#snapshots/schema";
import { describeLog } from "#snapshots/shelf";
import { findSearchProblem } from "#snapshots/query";
import type { View } from "./view.ts";

/** A snapshot older than this has missed a rebuild; seconds. */
const OLD_S = 12 * 60 * 60;
/** A copy of a shelf in a bucket is compared with it each second; a restart of the store takes some. */
const AWAY_S = 60;

/** Records and claims that are named. */
const MAX_LOST = 20;

export async function capabilities(view: View): Promise<Capabilities> {
  const { runtime, view: name } = view.options;
  const open = await view.current();
  const mount = name === "internal" ? "/internal" : "";
  const collections = (await open?.snapshot.library().catch(() => null))?.collection_counts;
  return {
    updated: open?.snapshot.record.created.slice(0, 10) ?? INTERFACE_VERSION,
    interface_version: INTERFACE_VERSION,
    snapshot: open?.snapshot.id ?? null,
    knowledge_base: { path: `${mount}/api/catalog`, view: name },
    components: (await runtime.components(open)).map((one) => (open === null ? withoutSnapshot(one) : one)),
    ...(collections === undefined ? {} : { collections }),
    next_build: runtime.nextBuild?.() ?? null,
    limits: { ...runtime.limits },
    auth: { ...runtime.auth },
    mcp: { endpoint: `${mount}${runtime.mcp.endpoint}`, versions: [...runtime.mcp.versions], tools: [...runtime.mcp.tools] },
    links: {
      catalog: `${mount}/api/catalog`,
      collection: `${mount}/api/catalog/{collection}`,
      claims: `${mount}/api/claims`,
      records: "/api/cubs",
      openapi: `${mount}/api/openapi.json`,
      reference: `${mount}${pagePath.reference}`,
      health: "/health",
    },
  };
}

/** OF_SNAPSHOT are parts that there is nothing of before the first publication. */
const OF_SNAPSHOT: ReadonlySet<string> = new Set(["files", "full-text search", "answers"]);

function withoutSnapshot(one: Component): Component {
  return OF_SNAPSHOT.has(one.name) ? { ...one, status: "unavailable", note: "no snapshot has been published yet" } : one;
}

/** How long a look at the files and the index is trusted; how long what it found is told without a newer one under way; and how long at
 *  all, since a look may take seconds under load: a load balancer asks each second, and waits for none. Milliseconds. */
const TRUSTED_MS = 1_000;
const TOLD_MS = 2_500;
const LATE_MS = 10_000;

/** One look: what it found, of what, and when, by a clock that is never set back. `at` is null while the look goes on. */
type Found = { readonly health: Promise<Health>; readonly of: string; at: number | null; next: Found | null };
const finding = new WeakMap<View, Found>();

/** health says how a view is. pass: the pointer verifies and its snapshot opens; warn: it is old or an optional part is down; fail: nothing can be
 *  served.
 *  One look serves all who ask meanwhile, and for a second after: it looks into files and asks the index, and anybody may ask as often as they
 *  like. An answer is never of another snapshot, or of another trouble with the pointer, than those of now. */
export function health(view: View): Promise<Health> {
  const clock = view.options.monotonic ?? (() => performance.now());
  const of = `${view.peek()?.snapshot.id ?? ""} ${view.trouble() ?? ""}`;
  const known = finding.get(view);
  if (known === undefined) return find();
  if (known.at === null) return known.health;
  const age = clock() - known.at;
  if (known.of !== of || (age >= TOLD_MS && known.next === null)) return find();
  if (age >= TRUSTED_MS) known.next ??= lookAside(known);
  return known.next !== null && age >= LATE_MS ? known.next.health : known.health;

  function find(): Promise<Health> {
    const found = look();
    finding.set(view, found);
    return found.health;
  }

  function lookAside(before: Found): Found {
    const next = look();
    next.health.then(
      () => finding.get(view) === before && finding.set(view, next),
      () => (before.next = null),
    );
    return next;
  }

  function look(): Found {
    const found: Found = { health: findHealth(view), of, at: null, next: null };
    const settle = (): void => {
      found.at = clock();
    };
    found.health.then(settle, settle);
    return found;
  }
}

async function findHealth(view: View): Promise<Health> {
  const { runtime, now } = view.options;
  const checks: Health["checks"] = {};
  const open = await view.current().catch(() => null);
  const trouble = view.trouble();
  checks["snapshot"] =
    open === null
      ? { status: "fail", detail: trouble ?? "nothing has been published" }
      : trouble === null
        ? { status: "pass", detail: "the pointer verifies and its snapshot opens" }
        : { status: "warn", detail: trouble };
  // Side by side: under load each waits its turn behind whatever else is read.
  const looks =
    open === null
      ? null
      : await Promise.all([
          open.snapshot.shelf.readChecked().catch(() => null),
          describeLog(open.snapshot.shelf, open.snapshot.record),
          open.snapshot.shelf.readFollowed().catch(() => null),
          Promise.all([open.reader(), open.snapshot.data()])
            .then(([reader, data]) => findSearchProblem(reader, data))
            .catch((error: unknown) => (error instanceof Error ? error.message : "the index cannot be opened")),
          open.snapshot.data().catch(() => null),
        ]);
  const [checked, log, followed, problem, data] = looks ?? [null, null, null, null, null];
  // A build that finds nothing new publishes nothing: what counts is when one last looked.
  const seen = checked ?? open?.snapshot.record.created ?? null;
  const age = seen === null ? null : Math.max(0, (now() - Date.parse(seen)) / 1000);
  if (age !== null) {
    checks["age"] =
      age > OLD_S
        ? { status: "warn", detail: "no build has looked at the sources for 12 hours" }
        : { status: "pass", detail: "a build looked at the sources less than 12 hours ago" };
  }
  if (log !== null) checks["log"] = { status: log.state === "damaged" ? "warn" : "pass", detail: log.detail };
  if (followed !== null) {
    const away = (now() - followed) / 1000;
    checks["bucket"] =
      away > AWAY_S
        ? { status: "warn", detail: `the bucket has not answered for ${Math.round(away / 60)} minutes: what was read before is served` }
        : { status: "pass", detail: "this machine's copy follows the bucket" };
  }
  const unread = open?.snapshot.shelf.records.trouble() ?? null;
  if (unread !== null) checks["history"] = { status: "warn", detail: unread };
  if (open !== null) {
    checks["search"] =
      problem === null
        ? { status: "pass", detail: "the index of this snapshot is whole and answers" }
        : { status: "warn", detail: problem };
  }
  const named = (ids: readonly string[]): string => nameSome(ids, MAX_LOST);
  const lost = data === null ? [] : findLost(data);
  if (lost.length > 0) checks["evidence"] = { status: "warn", detail: `what these pin or rest on does not hold any more: ${named(lost)}` };
  const recalled = data === null ? [] : findRecalled(data).map(({ record }) => record.id);
  if (recalled.length > 0)
    checks["recall"] = {
      status: "warn",
      detail: `${countOf(recalled.length, "record was", "records were")} accepted by checkers with a known hole alone: ${named(recalled)}`,
    };
  const library = data?.library;
  for (const [name, words] of [
    ["registry", REGISTRY_WORDS],
    ["claims", CLAIMS_WORDS],
  ] as const) {
    const state = library?.[name] ?? "none";
    if (state !== "none") checks[name] = { status: state === "read" ? "pass" : "warn", detail: words[state] };
  }
  for (const { name, status, note } of await runtime.components(open)) {
    if (status === "unavailable") checks[name] ??= { status: "warn", detail: note };
  }
  const statuses = Object.values(checks).map((check) => check.status);
  return {
    status: statuses.includes("fail") ? "fail" : statuses.includes("warn") ? "warn" : "pass",
    snapshot: open?.snapshot.id ?? null,
    sequence: open?.snapshot.record.sequence ?? null,
    age_s: age === null ? null : Math.round(age),
    version: runtime.version,
    checks,
  };
}
