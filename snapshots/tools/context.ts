/** What every tool is given and gives: one view, one snapshot, one budget; and reading through the same answers as HTTP,
 *  so that no tool can say anything else than its route. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { answer } from "../http/answer.ts";
import { type ErrorCode, PROBLEMS, ShelfError } from "../errors.ts";
import { parseCursor } from "../query/cursor.ts";
import type { View } from "../http/view.ts";
import type { ViewData } from "../format/view-data.ts";

export type ToolContext = {
  readonly view: View;
  /** Taken once at the start of a call. */
  readonly open: OpenSnapshot;
  readonly data: ViewData;
  /** Bytes that the JSON of `result` may have; the envelope around it is the caller's. */
  readonly budget: number;
};

export type ToolResult = {
  /** What the GET twin says, or its beginning. */
  readonly result: object;
  /** Of which all of it is. */
  readonly snapshot: string;
  /** Path and query of the GET twin inside the view, e.g. `/api/cubs/CUB-0007`. */
  readonly path: string;
  /** Whether that path also works under /at/<snapshot>, where it never changes. */
  readonly pinned: boolean;
  /** Whether the twin holds more of the same thing than `result`. */
  readonly truncated: boolean;
  /** Continues a list or a text; null when there is nothing more, or when it cannot be continued. */
  readonly next: string | null;
  /** What the caller should know, in words. */
  readonly notices: readonly string[];
};

export type Tool = (context: ToolContext, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** @throws ShelfError "no_snapshot" before the first publication */
export async function openContext(view: View, budget: number): Promise<ToolContext> {
  const open = await view.current();
  if (open === null) throw new ShelfError("no_snapshot", "No snapshot has been published yet.");
  return { view, open, data: await open.snapshot.data(), budget };
}

/** The context that a cursor belongs to: the snapshot of the page before, so that a rebuild never shifts pages.
 *  @throws ShelfError "bad_cursor", or "cursor_expired" when that snapshot is no longer kept */
export async function followCursor(context: ToolContext, cursor: unknown): Promise<ToolContext> {
  if (typeof cursor !== "string") return context;
  const { snapshot } = parseCursor(cursor);
  if (snapshot === context.open.snapshot.id) return context;
  const open = await context.view.byId(snapshot);
  if (open === null) {
    throw new ShelfError("cursor_expired", "The snapshot that this cursor belongs to is no longer kept.", {
      fixes: ["Repeat the call without cursor."],
    });
  }
  return { ...context, open, data: await open.snapshot.data() };
}

export type ReadAnswer = { readonly body: Readonly<Record<string, unknown>>; readonly snapshot: string };

/** The body of a GET route, as HTTP would send it.
 *  @param path path and query inside the view
 *  @throws ShelfError with the code of the problem that HTTP would send */
export async function readRoute(context: ToolContext, path: string): Promise<ReadAnswer> {
  // The current snapshot's answers are prepared and shared; another one's are asked for by name.
  const current = context.view.peek()?.snapshot.id === context.open.snapshot.id;
  const target = current ? path : `/at/${context.open.snapshot.id}${path}`;
  const found = await answer(context.view, { method: "GET", target, header: () => null });
  const body = JSON.parse(await text(found.body)) as Readonly<Record<string, unknown>>;
  if (found.status !== 200) throw problemOf(body);
  return { body, snapshot: found.headers["X-Snapshot"] ?? context.open.snapshot.id };
}

async function text(body: Uint8Array | AsyncIterable<Uint8Array> | null): Promise<string> {
  if (body === null) return "null";
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function problemOf(body: Readonly<Record<string, unknown>>): ShelfError {
  const { code, detail, errors, fixes } = body as {
    code?: string;
    detail?: string;
    errors?: { pointer: string; detail: string }[];
    fixes?: string[];
  };
  const known: ErrorCode = code !== undefined && code in PROBLEMS ? (code as ErrorCode) : "internal";
  return new ShelfError(known, detail ?? "The answer cannot be read.", { errors: errors ?? [], fixes: fixes ?? [] });
}

/** Path and query, in the order given; absent values and an empty prefix are left out, lists repeat. */
export function withQuery(path: string, query: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && (name !== "prefix" || item !== "")) params.append(name, String(item));
    }
  }
  return params.size === 0 ? path : `${path}?${params.toString()}`;
}
