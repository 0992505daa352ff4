/** JSON.parse keeps the last of two members with one name; another parser may keep the first. What two parsers read
 *  differently is refused where it decides about access (RFC 7519 §4: names within a claims set must be unique). */

/** Whether an object anywhere in `json` has a member twice.
 *  @param json text that JSON.parse has accepted already, so only strings and brackets need to be told apart */
export function hasDuplicateMembers(json: string): boolean {
  // One entry per open bracket: the names seen so far, or null inside an array.
  const open: (Set<string> | null)[] = [];
  let nameNext = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "{") {
      open.push(new Set());
      nameNext = true;
    } else if (character === "[") {
      open.push(null);
      nameNext = false;
    } else if (character === "}" || character === "]") {
      open.pop();
      nameNext = false;
    } else if (character === ",") {
      nameNext = open.at(-1) !== null;
    } else if (character === '"') {
      const start = at;
      for (at++; json[at] !== '"'; at++) if (json[at] === "\\") at++;
      const names = open.at(-1);
      if (!nameNext || names === null || names === undefined) continue;
      nameNext = false;
      // Parsed, because "\u0061lg" and "alg" are one name.
      const name = JSON.parse(json.slice(start, at + 1)) as string;
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}
