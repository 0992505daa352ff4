/** ObjectReading is what became of one object so far: what was drawn of it, how often a process ended over it, what processor it took, and what is
 *  tried next. */
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import type { Extract } from "#snapshots/schema";
import { type Extracted, toExtracted } from "./extract-json.ts";
import { fileName } from "./media-type.ts";
import type { Unread } from "./unread.ts";
import type { Told } from "./others.ts";
import { type DrawnPage, type Drawing, MAX_IMAGE_BYTES } from "./pdf-images.ts";
import type { ExtractRequest } from "./worker.ts";

const MAX_BROKEN_PAGES = 3; // pages of a document that ended two processes each; then the rest is not drawn

/** Images that an object holds itself, from a process. */
const HELD = z.array(z.looseObject({ page: z.int(), png: z.instanceof(Uint8Array).refine(({ length }) => length <= MAX_IMAGE_BYTES) }));

/** Shares of an object's time that its pages may be drawn in, and that it may be read in; the rest is for its plain text. */
const DRAWN_IN = 0.5;
const READ_IN = 0.85;
/** Processor that plain text may take at least; milliseconds. */
const PLAIN_MS = 1_000;

export class ObjectReading {
  readonly #object: { readonly key: string; readonly bytes: Uint8Array; readonly told: Told | undefined };
  readonly done: Promise<Extracted>;
  readonly refuse: (reason: Error) => void;
  readonly #resolve: (value: Extracted) => void;
  /** How many pages are to be drawn. */
  readonly #pageImages: number;
  #done = false;
  /** The time that it had taken when nothing but its plain text was left to read. */
  #plainFrom = 0;
  /** How often it was at work, or at the same page, when a process ended. */
  failures = 0;
  /** Why it is read as plain text only; else null. */
  note: string | null = null;
  /** The page that is being drawn; 0 while the document is opened, null before that. */
  #page: number | "end" | null = null;
  /** Ascending. */
  readonly #images: DrawnPage[] = [];
  /** Pages that ended two processes, or that there was no time for. */
  readonly #broken: number[] = [];
  /** Processor that it has taken so far, milliseconds. */
  spent = 0;
  readonly #giveUp: (unread: Unread) => void;

  /** @param unread what an earlier build gave up
   *  @param giveUp told what is given up now */
  constructor(
    object: { readonly key: string; readonly bytes: Uint8Array; readonly told: Told | undefined },
    pageImages: number,
    unread: Unread | null,
    giveUp: (unread: Unread) => void,
  ) {
    this.#object = object;
    this.#pageImages = pageImages;
    this.#giveUp = giveUp;
    if (unread?.what === "text") this.note = unread.note;
    if (unread?.what === "pages") this.#leavePages(1);
    const { promise, resolve, reject } = Promise.withResolvers<Extracted>();
    this.done = promise;
    this.#resolve = resolve;
    this.refuse = reject;
    if (unread?.what === "all") this.#finishBare(unread.note);
  }

  /** Returns the request for a process that takes it on. */
  begin(): ExtractRequest {
    this.#page = null;
    const done = this.#images.map(({ png: _, ...facts }) => facts);
    const { told, ...object } = this.#object;
    return {
      ...object,
      note: this.note,
      draw: { limit: this.#pageImages, done, skip: this.#broken },
      ...(told === undefined ? {} : { told }),
    };
  }

  finish(read: Extracted): void {
    // As plain text it has no page beside which they would stand.
    const { images } = read;
    // The process may be a stranger's by now.
    const isOurs = HELD.safeParse(images).success && images.every(({ page }, at) => page === at + 1);
    this.#resolve({ ...read, images: this.note === null && this.#images.length > 0 ? this.#images : isOurs ? images : [] });
  }

  /** @returns false for what a process of ours would not say: it is a stranger's by now */
  takeDrawing({ page, image }: Drawing): boolean {
    const at = this.#page;
    const last = this.#images.at(-1)?.page ?? 0;
    // Until it is found to be right: then the page is not to blame.
    this.#page = "end";
    if (at === "end" || this.#pageImages === 0) return false;
    if (image === null) {
      // Every step is a later one, so that nobody can go on for ever.
      if (
        page !== "end" &&
        !(Number.isInteger(page) && page <= this.#pageImages && (page === 0 ? at === null : page > Math.max(at ?? 0, last)))
      )
        return false;
      this.#page = page;
      return true;
    }
    if (page !== at || image.page !== page || page <= last || image.png.length > MAX_IMAGE_BYTES) return false;
    this.#page = page;
    this.#images.push(image);
    this.failures = 0;
    return true;
  }

  /** Tells whether nothing is left to be done: an earlier build has given all of it up. */
  isDone(): boolean {
    return this.#done;
  }

  /** How much processor it may have taken when what it is at ends; milliseconds.
   *  @param limit for all of it */
  timeFor(limit: number): number {
    if (this.note !== null) return Math.max(limit, this.#plainFrom + PLAIN_MS);
    return limit * (typeof this.#page === "number" ? DRAWN_IN : READ_IN);
  }

  /** Takes the end of a process for this object's doing.
   *  @param ended whether by itself, because it did nothing any more, or because its time was over
   *  @returns whether it is to be tried once more; else it is done */
  blame(ended: "failed" | "stalled" | "over"): boolean {
    this.failures++;
    if (typeof this.#page === "number") {
      if (ended === "over") this.#leavePages(this.#page);
      else if (this.failures > 1) {
        if (this.#broken.length + 1 < MAX_BROKEN_PAGES) this.#broken.push(this.#page);
        else this.#leavePages(this.#page);
      } else return true;
      this.failures = 0;
      return true;
    }
    const what = ended === "failed" ? "Reading this file failed" : "Reading this file took too long";
    if (this.note !== null) {
      this.#giveUp({ what: "all", note: `${what}, so it is listed but not searched.` });
      this.#finishBare(`${what}, so it is listed but not searched.`);
      return false;
    }
    if (this.failures > 1 || ended === "over") {
      this.note = `${what}, so only its plain text is used.`;
      this.#plainFrom = this.spent;
      this.#giveUp({ what: "text", note: this.note });
    }
    return true;
  }

  /** Leaves it to the next build, since this one has no time for files that take long any more. */
  postpone(): void {
    this.refuse(
      new ShelfError(
        "bad_source",
        "it takes long to read, and this build has spent its time for such files (extract.budget); the next one goes on",
      ),
    );
  }

  #leavePages(from: number): void {
    for (let page = from; page <= this.#pageImages; page++) this.#broken.push(page);
    this.#giveUp({ what: "pages" });
  }

  #finishBare(note: string): void {
    this.#done = true;
    this.#resolve(toExtracted(this.#object.key, { extract: bareExtract(this.#object.key, note), asked: null }));
  }
}

function bareExtract(key: string, note: string): Extract {
  return {
    title: fileName(key).slice(0, 200).toWellFormed(),
    summary: "",
    kind: "binary",
    media_type: "application/octet-stream",
    language: null,
    lines: null,
    passages: [],
    html: null,
    notes: [note],
  };
}
