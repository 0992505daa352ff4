/** Files that speak for the folder that they lie in, and for those below it. */

const LICENCE_FILE = /^(?:licen[cs]e|copying|unlicense)(?:[.-].*)?$/i;

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

export function isLicenceFile(key: string): boolean {
  return LICENCE_FILE.test(nameOf(key));
}

export function isCitationFile(key: string): boolean {
  return nameOf(key) === "CITATION.cff";
}
