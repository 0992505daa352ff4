/** Dates as people write them. */

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH = String.raw`(?<word>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\.?)`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?<year>\d{4})`;
/** A day of the week may stand before each, and a time after it. */
const FORMS = [
  String.raw`${YEAR}(?:(?<sign>[-/.])(?<month>\d{1,2})(?:\k<sign>(?<day>\d{1,2}))?)?`,
  String.raw`${YEAR}(?<month>\d\d)(?<day>\d\d)`,
  String.raw`${YEAR}\s*[年년]\s*(?<month>\d{1,2})\s*[月월](?:\s*(?<day>\d{1,2})\s*[日일])?`,
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.${YEAR}`,
  String.raw`${MONTH}\s+(?:${DAY},?\s+)?${YEAR}`,
  String.raw`${DAY}(?:\.|\s+of)?[\s-]+${MONTH},?[\s-]+${YEAR}`,
].map((form) => new RegExp(String.raw`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+)?${form}(?=$|[T,\s])`, "i"));

/** findDate reads the date at the start of a text: year, month or day, in numbers of which the year stands first, or with the month in English words.
 *  @returns YYYY, YYYY-MM or YYYY-MM-DD; null for anything else, and for a day that no calendar has */
export function findDate(text: string): string | null {
  const parts = FORMS.map((form) => form.exec(text.trim())?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return null;
  const { year = "", day, word } = parts;
  const month = word === undefined ? parts["month"] : String(MONTHS.indexOf(word.slice(0, 3).toLowerCase()) + 1);
  const said = [year, ...[month, day].flatMap((part) => (part === undefined ? [] : [part.padStart(2, "0")]))];
  const whole = [...said, "01", "01"].slice(0, 3).join("-");
  const time = new Date(`${whole}T00:00:00Z`);
  const isReal = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(whole);
  return isReal && Number(year) > 0 ? said.join("-") : null;
}
