/** Functions that the rows of the route table are written with. */
import { z } from "zod";
import type { PageRow, Route, RouteParameter, RouteResponse, RowKind } from "./route.ts";

const READ = ["GET", "HEAD"] as const;

export function parameter(
  name: string,
  description: string,
  example: string,
  more: { required?: boolean; repeats?: boolean } = {},
): RouteParameter {
  return { name, description, example, required: more.required ?? false, repeats: more.repeats ?? false };
}

export const prefix = parameter("prefix", "Only keys that start with it; empty means no restriction.", "notes/");
export const license = parameter(
  "license",
  "Only objects with this licence, as the catalog has it; empty: none is stated. Repeated values are alternatives.",
  "Apache-2.0",
  { repeats: true },
);
export const cursor = parameter("cursor", "Taken unchanged from the member next, or from the Link header, of the page before.", "");
export const limit = (what: string, usual: number): RouteParameter =>
  parameter("limit", `${what} in one response, 0 to 500; ${usual} without it.`, "10");
export const q = (description: string, example: string): RouteParameter => parameter("q", description, example, { required: true });
export const key = { description: "Object key, percent-encoded segment by segment.", example: "notes/reading-a-digest.md" };
export const anyObject = z.looseObject({});
export const text = (type: string, description: string): RouteResponse => ({ description, type });
export const json = (schema: z.ZodType, description: string): RouteResponse => ({ description, schema });

/** A WrittenRow is a row as it is written: the table adds the id. */
export type WrittenRow = Omit<Route, "id">;
type Given = Pick<WrittenRow, "group" | "path" | "summary" | "success"> & Partial<WrittenRow>;
export type WrittenPage = Omit<PageRow, "id">;

/** The meaning of each kind in a kept snapshot, unless the row says otherwise. */
const AT: Readonly<Record<RowKind, Route["at"]>> = { file: "kept", query: "kept", history: "now", live: "now", effect: "none" };

/** row makes a row: a file of both views that takes no parameters and counts against no limit, unless it says otherwise. The type keeps where its
 *  bytes lie, so that what is stored and has no maker does not compile. */
export function row<const F extends string>(given: Given & { readonly file: F }): WrittenRow & { readonly file: F };
export function row(given: Given): WrittenRow;
export function row(given: Given): WrittenRow {
  const kind = given.kind ?? "file";
  const usual = { methods: READ, kind, access: "public", limit: null, at: AT[kind], page: false, views: "both" } as const;
  return { ...usual, query: [], parts: {}, errors: [], ...given };
}

/** pageRow makes a page: read by people, so that it stands in no description. */
export function pageRow(path: string, more: Partial<WrittenPage> = {}): WrittenPage {
  const kind = more.kind ?? "file";
  return { path, methods: READ, kind, access: "public", limit: null, at: AT[kind], page: true, views: "both", ...more };
}
