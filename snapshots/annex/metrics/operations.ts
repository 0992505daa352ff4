/** Answers to an operator's tools about a process, on a port of its own that no reader reaches: `/metrics` in the text format of Prometheus, and
 *  `/ready`, 200 when there is a snapshot to serve. No name of a person, an object or a query is in any of it. */
import type { RequestListener } from "node:http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Router } from "#snapshots/routes";
import { type BuildTally, listen, type Listening, observe, type OperationsServing, type SeenRequest, type View } from "#snapshots/http";

export type Operations = {
  readonly listening: Listening;
  /** The same listener, counted. */
  observe(listener: RequestListener): RequestListener;
  countModelCall(outcome: string): void;
  countRebuild(outcome: string): void;
};

/** Seconds: from what is kept ready to what a model writes. */
const BUCKETS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 413, 429, 503]);

/** openOperations serves metrics and readiness at an address of their own. @throws the system's error when the address is taken */
export async function openOperations({ host, port }: OperationsServing, view: View, builds: () => BuildTally): Promise<Operations> {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "proofshelf_http_requests_total",
    help: "Answers, by route and status",
    labelNames: ["route", "status"],
    registers,
  });
  const unfinished = new Counter({
    name: "proofshelf_http_unfinished_total",
    help: "Answers whose client went, or was dropped, before it had everything",
    registers,
  });
  const duration = new Histogram({
    name: "proofshelf_http_request_duration_seconds",
    help: "From the request's head to the last byte of the answer",
    labelNames: ["route"],
    buckets: BUCKETS,
    registers,
  });
  const models = new Counter({
    name: "proofshelf_model_calls_total",
    help: "Calls of the answer model",
    labelNames: ["outcome"],
    registers,
  });
  const rebuilds = new Counter({
    name: "proofshelf_rebuilds_total",
    help: "Rebuilds asked for by POST /api/reindex",
    labelNames: ["outcome"],
    registers,
  });
  const refusals = new Counter({
    name: "proofshelf_refusals_total",
    help: "Answers that refused a request, by status: 401, 403, 413, 429 and 503",
    labelNames: ["status"],
    registers,
  });
  const built = new Counter({
    name: "proofshelf_builds_total",
    help: "Builds of serve --every since it started, by how they ended",
    labelNames: ["outcome"],
    registers,
  });
  const lastBuild = new Gauge({ name: "proofshelf_build_duration_seconds", help: "Of the last of these builds", registers });
  const sequence = new Gauge({
    name: "proofshelf_snapshot_sequence",
    help: "Number of the snapshot that is served; 0 for none",
    registers,
  });
  const age = new Gauge({ name: "proofshelf_snapshot_age_seconds", help: "Since the snapshot that is served was made", registers });

  const tell = ({ path, status, ms, sent }: SeenRequest): void => {
    const route = nameOf(view.options.service.router, path);
    requests.inc({ route, status });
    if (REFUSALS.has(status)) refusals.inc({ status });
    duration.observe({ route }, ms / 1000);
    if (!sent) unfinished.inc();
  };
  const listening = await listen(
    (message, response) => {
      const path = (message.url ?? "").replace(/\?.*$/s, "");
      const send = (status: number, type: string, body: string): void => {
        response.writeHead(status, { "Content-Type": type, "Cache-Control": "no-store" });
        response.end(message.method === "HEAD" ? undefined : body);
      };
      void (async () => {
        const open = await view.current().catch(() => null);
        if (path === "/ready") return send(open === null ? 503 : 200, "text/plain", open === null ? "no snapshot\n" : "ready\n");
        if (path !== "/metrics") return send(404, "text/plain", "This port has /metrics and /ready.\n");
        const record = open?.snapshot.record;
        // The starter counts: what an earlier scrape was told is part of it.
        const { counts, seconds } = builds();
        built.reset();
        for (const [outcome, count] of Object.entries(counts)) built.inc({ outcome }, count);
        lastBuild.set(seconds ?? Number.NaN);
        sequence.set(record?.sequence ?? 0);
        age.set(record === undefined ? Number.NaN : (Date.now() - Date.parse(record.created)) / 1000);
        send(200, registry.contentType, await registry.metrics());
      })().catch(() => response.destroy());
    },
    { host, port },
  );
  return {
    listening,
    observe: (listener) => observe(listener, tell),
    countModelCall: (outcome) => models.inc({ outcome }),
    countRebuild: (outcome) => rebuilds.inc({ outcome }),
  };
}

/** describeOperations tells the operator, who may have asked for any free port, the addresses. */
export function describeOperations(operations: Operations | null): string[] {
  return operations === null ? [] : [`Metrics at ${operations.listening.url}/metrics, readiness at ${operations.listening.url}/ready`];
}

/** Name of the row in the route table; few names, whatever strangers ask for. */
function nameOf(router: Router, path: string): string {
  const { match, mount } = router.findPlace(path);
  if (match === null || !match.exact || !("query" in match.route)) return "page";
  return mount === "" ? match.route.id : `internal-${match.route.id}`;
}
