/** NO_MODEL and the three below it are notices that tell how an answer came about. Programs read them; the page of the answer says the same where
 *  it says who wrote it. */
export const NO_MODEL = "No model answers here, so the best passages are quoted.";
export const ALL_COUNTED = "Counted from this snapshot: each number leads to the list that it comes from. No model was asked.";
export const OF_HISTORY = "Answered from the catalog and the history; no model was asked.";
export const ALL_LOOKED_UP = "Answered from the catalog and the registry; no model was asked.";

/** readerNotice returns what of a notice a page has to say besides. */
export function readerNotice(notice: string): string {
  return [NO_MODEL, sayNoQuotes(NO_MODEL), ALL_COUNTED, OF_HISTORY, ALL_LOOKED_UP]
    .reduce((rest, told) => rest.replace(told, ""), notice)
    .trim();
}

/** sayNoQuotes says the same of an answer that quotes nothing. */
export function sayNoQuotes(notice: string): string {
  return notice.replace(/, so the best passages are quoted(?=\.)/, "");
}
