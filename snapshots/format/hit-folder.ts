/** Titles that say little by themselves: the name of the file, or what every folder may have. */
const ANY_FOLDER = /^(?:readme|index|main|lib|mod|basics|prelude|defs?|utils?|test|untitled)\b/i;

/** hitFolder returns the folder that a result is to be told with; "" where its title tells it from the others.
 *  @param titles of all results that are shown */
export function hitFolder(title: string, key: string, titles: readonly string[]): string {
  const folders = key.split("/").slice(0, -1);
  const file = key.slice(key.lastIndexOf("/") + 1);
  const little = title === file || ANY_FOLDER.test(title) || titles.filter((other) => other === title).length > 1;
  return little ? folders.slice(-2).join("/") : "";
}
