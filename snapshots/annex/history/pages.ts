/** Pages of the shelf's history: which snapshots there are, how two differ, and what a thing has been. */
import { ShelfError } from "#snapshots/errors";
import { pagePath, parseDiffPath } from "#snapshots/format";
import { findSnapshot } from "#snapshots/query";
import { diffPage, snapshotsPage } from "./snapshots-page.ts";
import { type Model, type PageMaker, type PageRequest, requested, type RequestPage } from "#snapshots/page";
import { revisionsPage } from "./revisions-page.ts";
import type { HISTORY_PAGES } from "./rows.ts";

declare module "../../page/model.ts" {
  interface AnnexPages {
    snapshots: Model<typeof snapshotsPage>;
    diff: Model<typeof diffPage>;
    revisions: Model<typeof revisionsPage>;
  }
}

const revisions: PageMaker = async (request) => {
  const { history, open, path, params } = request;
  const model = await revisionsPage(history, open, path, params);
  return model === null ? null : requested(request, model, null);
};

async function snapshots(request: PageRequest, part: number): Promise<RequestPage | null> {
  const { history, open, path } = request;
  const model = pagePath.snapshotsPart(part) === path ? await snapshotsPage(history, open, part) : null;
  return model === null ? null : requested(request, model, null);
}

/** comparison is of the two snapshots that a form named. */
async function comparison({ history, open, params, ...request }: PageRequest): Promise<RequestPage> {
  const [from, to] = await Promise.all(["from", "to"].map((name) => findSnapshot(history, params.get(name) ?? "")));
  if (from === undefined || to === undefined) throw new ShelfError("bad_parameter", "Two snapshots are compared: from and to.");
  return requested(request, await diffPage(open, from, to), null);
}

export const HISTORY_REQUEST_PAGES = {
  "snapshots-page": (request) => (request.params.has("from") && request.params.has("to") ? comparison(request) : snapshots(request, 1)),
  "snapshots-part": (request, { part = "" }) => (/^[1-9][0-9]{0,6}$/.test(part) ? snapshots(request, Number(part)) : null),
  "object-revisions": revisions,
  "record-revisions": revisions,
  async "diff-page"(request) {
    const { history, open, path } = request;
    const pair = parseDiffPath(path);
    if (pair === null) return null;
    const [from, to] = await Promise.all([findSnapshot(history, pair[0]), findSnapshot(history, pair[1])]);
    return requested(request, await diffPage(open, from, to), null);
  },
} as const satisfies Readonly<Record<keyof typeof HISTORY_PAGES, PageMaker>>;
