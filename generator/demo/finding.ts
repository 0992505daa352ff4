/** A Finding says what is pinned wrongly. */
export type Finding = { readonly file: string; readonly pointer: string; readonly is: string; readonly should: string };

/** findDifferences returns differences between two JSON values, one line each, with RFC 6901 pointers. */
export function findDifferences(file: string, is: unknown, should: unknown, pointer = ""): Finding[] {
  if (typeof is === "object" && is !== null && typeof should === "object" && should !== null) {
    const left = new Map<string, unknown>(Object.entries(is));
    const right = new Map<string, unknown>(Object.entries(should));
    return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) =>
      findDifferences(file, left.get(key), right.get(key), `${pointer}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`),
    );
  }
  if (is === should) return [];
  return [{ file, pointer, is: JSON.stringify(is) ?? "nothing", should: JSON.stringify(should) ?? "nothing" }];
}
