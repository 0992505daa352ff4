/** The parts of a build without a process, a thread or compiled pages: objects are read and rows are written here, and a page is its
 *  data. Everything else of a snapshot is as another build makes it. */
import { canonicalJson } from "../../snapshots/digest.ts";
import type { Renderer } from "../../snapshots/page/renderer.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { decodeText } from "../extract/decode-text.ts";
import { extractAsking } from "../extract/extract.ts";
import { toExtracted } from "../extract/extract-json.ts";
import { type DrawnPage, openDrawing } from "../extract/pdf-images.ts";
import type { ExtractPool } from "../extract/pool.ts";
import { findSecrets } from "../extract/secrets.ts";
import type { IndexThread } from "../index/index-thread.ts";
import type { IndexRoots } from "../index/index-worker.ts";
import { readDocuments } from "../index/index-documents.ts";
import { type Parts, PARTS } from "../publish/parts.ts";

export const PLAIN_PARTS: Parts = {
  site: async () => ({ renderer: async () => RENDERER, pool: () => POOL, software: noFiles }),
  index: openPlainIndex,
};

/** PAGED_PARTS are the same with the pages that readers get. */
export const PAGED_PARTS: Parts = { ...PLAIN_PARTS, site: async () => ({ ...(await PARTS.site()), pool: () => POOL }) };

const RENDERER: Renderer = {
  digest: "plain",
  assets: [],
  render: async (input) => Buffer.from(`<!doctype html><meta charset="utf-8"><pre>${canonicalJson(input).replaceAll("<", "&lt;")}</pre>\n`),
};

const POOL: ExtractPool = {
  warm() {},
  async extract(key, bytes, pageImages = 0, told) {
    const images: DrawnPage[] = [];
    const drawing = openDrawing(
      { limit: pageImages, done: [], skip: [] },
      async ({ image }) => void (image !== null && images.push(image)),
    );
    const found = await extractAsking(key, bytes, pageImages === 0 ? null : drawing, told);
    const read = toExtracted(key, found, found.extract.lines === null ? [] : await findSecrets(decodeText(bytes)));
    return { ...read, images: [...images, ...read.images] };
  },
  async close() {},
};

async function* noFiles(): AsyncGenerator<never> {}

/** Writes a view's rows when the one before has written its own, as the thread does. */
function openPlainIndex(roots: IndexRoots): IndexThread {
  const publicShelf = openDirectoryShelf(roots.public, null, "building");
  const shelves = { public: publicShelf, internal: openDirectoryShelf(roots.internal, publicShelf, "building") };
  let turn = Promise.resolve();
  const closed = Promise.withResolvers<never>();
  closed.promise.catch(() => undefined);
  const running = new Set<Promise<void>>();

  async function update(
    view: "public" | "internal",
    { upsert, remove, base, tag, onRead }: Parameters<IndexThread["update"]>[1],
  ): Promise<void> {
    const [before, written] = [turn, Promise.withResolvers<void>()];
    turn = written.promise;
    const index = await openIndex(shelves[view].indexUri);
    try {
      await before;
      const sources = [...upsert];
      onRead(sources.length);
      const documents = readDocuments(shelves[view], sources);
      await index.update({ upsert: documents, remove, base, tag: Promise.race([tag, closed.promise]), onWritten: written.resolve });
    } finally {
      written.resolve();
      index.close();
    }
  }

  return {
    update(view, options) {
      const work = update(view, options).finally(() => running.delete(work));
      running.add(work);
      return work;
    },
    async close() {
      closed.reject(new Error("The index was closed."));
      await Promise.allSettled(running);
    },
  };
}
