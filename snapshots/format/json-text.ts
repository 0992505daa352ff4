/** JsonFault is a fault of a stranger's JSON, found while it is only text: two parsers could read it differently, or it is nested too deep for
 *  later steps. */

export type JsonFault = {
  readonly kind: "deep" | "twice";
  /** Offset at which it shows. */
  readonly at: number;
  /** The name of a member that an object has twice. */
  readonly name: string;
};

/** findJsonFault returns the first fault of a JSON text, or null; in broken JSON, which JSON.parse refuses, some may be missed.
 *  @param unique whether a second member of one name is a fault (RFC 8259 §4 leaves open which one counts) */
export function findJsonFault(text: string, maxDepth: number, unique: boolean): JsonFault | null {
  /** One entry per open bracket: the names seen so far of an object, null for an array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = skipString(text, at + 1);
        const names = open.at(-1);
        if (unique && expectsName && names != null) {
          const name = decode(text.slice(at, end));
          if (name === null) return null;
          if (names.has(name)) return { kind: "twice", at, name };
          names.add(name);
        }
        expectsName = false;
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        expectsName = text[at] === "{";
        open.push(expectsName ? new Set() : null);
        if (open.length > maxDepth) return { kind: "deep", at, name: "" };
        break;
      case "}":
      case "]":
        open.pop();
        expectsName = false;
        break;
      case ",":
        expectsName = (open.at(-1) ?? null) !== null;
        break;
    }
  }
  return null;
}

/** skipString returns the offset after the string whose text begins at `from`, or the end. A backslash takes the character behind it along. */
export function skipString(text: string, from: number): number {
  const edge = /\\[\s\S]|"/g;
  edge.lastIndex = from;
  for (;;) {
    const found = edge.exec(text);
    if (found === null) return text.length;
    if (found[0] === '"') return edge.lastIndex;
  }
}

/** A member's name: escaped or not, it is the same one. Null for what is no whole string. */
function decode(raw: string): string | null {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return null;
  }
}
