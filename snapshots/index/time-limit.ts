/** How long somebody waits for the search engine. It is native code: a call that never returns cannot be broken off, so it is left
 *  to itself, and who waits is told. */
import { ShelfError } from "#snapshots/errors";

const LIMIT_MS = 10_000; // far above the slowest search of a loaded machine

/** withinLimit waits for work of the index. @throws ShelfError "search_unavailable" when the work takes longer; it goes on, and its end is heard
 *  by nobody */
export async function withinLimit<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new ShelfError("search_unavailable", `The search index has not answered within ${LIMIT_MS / 1000} seconds.`, {
        fixes: ["Try again in a minute; everything but search is served meanwhile."],
      }),
    );
  }, LIMIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
