/** ASCII_SIGNS has the operators as they are written where there are only ASCII signs, and the signs that they stand for: `->` finds `→` and
 *  `\to`, and the other way round. */
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

/** ASCII_SIGN is the source of an expression that finds these operators, but nothing that is drawn with their signs: `-->`, `<!--`, `|---|`. */
export const ASCII_SIGN = String.raw`<->|(?<!-)->|<-(?![-!])|(?<!=)=>|<=(?!>)|>=|<>|!=|\/\\|\\\/|\|-(?!-)`;
