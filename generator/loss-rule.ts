/** How much of what was served may be gone before somebody has to say that it was meant. */

/** Things that may go without a word: small lists are edited by hand. */
const FREE = 2;

/** @param had things that were served; @param lost those that are gone; @param isEmpty nothing at all is left */
export function isTooMuchLost(had: number, lost: number, isEmpty: boolean): boolean {
  return had > 0 && (isEmpty || (lost > FREE && 2 * lost > had));
}
