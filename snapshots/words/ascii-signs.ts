/** Operators as they are written where there are only ASCII signs, and the signs that they stand for: `->` finds `→` and `\to`, and the
 *  other way round. */
export const ASCII_SIGNS: ReadonlyMap<string, string> = new Map([
  ["<->", "↔"],
  ["->", "→"],
  ["<-", "←"],
  ["=>", "⇒"],
  ["<=", "≤"],
  [">=", "≥"],
  ["<>", "≠"],
  ["!=", "≠"],
  ["/\\", "∧"],
  ["\\/", "∨"],
  ["|-", "⊢"],
]);

/** The source of an expression that finds them, and not what is drawn with their signs: `-->`, `<!--`, `|---|`. */
export const ASCII_SIGN = String.raw`<->|(?<!-)->|<-(?![-!])|(?<!=)=>|<=(?!>)|>=|<>|!=|\/\\|\\\/|\|-(?!-)`;
