/** How much of what is served may be gone before somebody has to say that it was meant: of a collection's objects as of a list's entries. */

/** Things that may go without a word: small lists are edited by hand. */
const FREE = 2;

export type Loss = { readonly had: number; readonly lost: number };

/** findLoss counts what is gone; null where that is no more than may go without a word.
 *  @param served what is served now; @param isThere whether it is still to be had; @param isEmpty whether nothing at all is to be had */
export function findLoss<T>(served: readonly T[], isThere: (one: T) => boolean, isEmpty: boolean): Loss | null {
  const had = served.length;
  const lost = served.filter((one) => !isThere(one)).length;
  return had > 0 && (isEmpty || (lost > FREE && 2 * lost > had)) ? { had, lost } : null;
}
