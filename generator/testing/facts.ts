/** Facts of a small library as values: what plans, gates and projections are tested on, without a store, a shelf or a build. */
import { sha256 } from "../../snapshots/digest.ts";
import { Claim } from "../../snapshots/schema/claims.ts";
import { parseConfig } from "../config/config.ts";
import type { BuildFacts } from "../pipeline/facts.ts";
import { NO_CLAIMS } from "../sources/claims.ts";
import { NO_REGISTRY } from "../sources/read-registry.ts";
import type { StoredObject } from "../sources/object-store.ts";
import { planReading } from "../pipeline/plan.ts";
import { project, type Views } from "../pipeline/project.ts";
import { recordSet } from "../pipeline/record-set.ts";
import { EMPTY_STATE, type KnownObject, timesOf } from "../kept/state.ts";

const PROGRAM = sha256("program");

export function storedObject(key: string, version = "1"): StoredObject {
  return { key, size: 10, version, uploaded: "2026-01-01T00:00:00Z", problem: null };
}

/** knownObject returns an object as a build keeps it. @param text stands for its bytes and for its extract */
export function knownObject(key: string, text = key, more: Partial<KnownObject> = {}): KnownObject {
  return {
    key,
    title: key,
    summary: "",
    kind: "markdown",
    media_type: "text/markdown",
    size: 10,
    sha256: sha256(text),
    uploaded: "2026-01-01T00:00:00Z",
    extract: { sha256: sha256(`extract of ${text}`), size: 100 },
    notes: [],
    version: "1",
    root: key.startsWith("drafts/") ? "internal" : "public",
    links: [],
    secrets: [],
    ...more,
  };
}

export function claimOf(more: Readonly<Record<string, unknown>>): Claim {
  return Claim.parse({ id: "one", title: "One", status: "verified", scope: "Here", statement: "It holds.", ...more });
}

export const CONFIG = parseConfig(
  Buffer.from(`title: A library
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
`),
  "/nowhere/proofshelf.yaml",
  { checkSources: false },
);

const record = (snapshot: string) => ({ sequence: 1, snapshot, created: "2026-01-01T00:00:00Z", previous: null, inputs: {} });

/** firstFacts returns facts of a first build. @param keys of what the store holds */
export function firstFacts(keys: readonly string[], more: Partial<BuildFacts> = {}): BuildFacts {
  return {
    config: CONFIG,
    program: PROGRAM,
    listed: { rows: keys.map((key) => storedObject(key)), rejected: [], since: 0, why: null },
    registry: NO_REGISTRY,
    claims: NO_CLAIMS,
    withdrawals: { list: [], notes: [] },
    state: EMPTY_STATE,
    journal: new Map(),
    pointers: { public: null, internal: null },
    kept: { public: new Set(), internal: new Set() },
    indexes: {
      public: { problem: "It is not there.", rows: false, shared: false },
      internal: { problem: "It is not there.", rows: false, shared: false },
    },
    setbacks: [],
    due: false,
    redacted: new Set(),
    ...more,
  };
}

/** nextFacts returns facts of a build after one that has read and published just these objects. */
export function nextFacts(known: readonly KnownObject[], more: Partial<BuildFacts> = {}): BuildFacts {
  const facts = firstFacts(
    known.map(({ key }) => key),
    {
      state: {
        ...EMPTY_STATE,
        program: PROGRAM,
        objects: known,
        times: timesOf(CONFIG),
        public: { snapshot: "a", documents: {} },
        internal: { snapshot: "b", documents: {} },
      },
      pointers: { public: record("a"), internal: record("b") },
      kept: { public: new Set(["a"]), internal: new Set(["b"]) },
      indexes: { public: { problem: null, rows: true, shared: false }, internal: { problem: null, rows: true, shared: false } },
    },
  );
  const { fingerprint } = planReading(facts);
  return { ...facts, state: { ...facts.state, fingerprint }, ...more };
}

/** viewsOf returns both views of these objects and of what the facts say beside them. */
export function viewsOf(facts: BuildFacts, objects: readonly KnownObject[]): Views {
  return project(recordSet(facts, { objects, refused: [] }));
}
