/** Whether a page that a server sent is a page of the snapshot: the same text but for what ../http/stamp.ts fills in, which is links within the
 *  library, numbers and days. Whoever sent it controls all of it. */

const STAMP = /<!--stamp:(?:first|changes)-->/;
const FILLED =
  /^(?:not known|(?:; these bytes since |, |: | → |Snapshot \d+|\d+ (?:added|changed|removed)| · |<a href="[\w./-]*">(?:snapshot \d+|what changed)<\/a>|<time datetime="[\dTZ:.-]+">[\d-]+<\/time>)*)$/;

/** @param file of the snapshot; @param served in its place */
export function isStamped(file: string, served: string): boolean {
  const [stamp = ""] = STAMP.exec(file) ?? [];
  if (stamp === "" || file === served) return file === served;
  const [before = "", after = ""] = [file.slice(0, file.indexOf(stamp)), file.slice(file.indexOf(stamp) + stamp.length)];
  if (served.length < before.length + after.length || !served.startsWith(before) || !served.endsWith(after)) return false;
  return FILLED.test(served.slice(before.length, served.length - after.length));
}
