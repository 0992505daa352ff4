/** A grammar for highlight.js out of a language's row: its comments, strings, numbers and words. */
import type { HLJSApi, Language, LanguageFn } from "highlight.js";
import type { LanguageRow } from "./language-row.ts";

export function tableGrammar({ line, block, nests, keywords = "" }: LanguageRow): LanguageFn {
  return (hljs: HLJSApi): Language => ({
    keywords: { $pattern: String.raw`[$\p{L}_][\p{L}\p{N}_'!-]*|\$[.=[\]{}]`, keyword: keywords.split(" ") },
    unicodeRegex: true,
    contains: [
      ...block.map(([open, close]) =>
        hljs.COMMENT(RegExp.escape(open), RegExp.escape(close), nests === true ? { contains: ["self"] } : {}),
      ),
      ...line.map((sign) => hljs.COMMENT(RegExp.escape(sign), "$")),
      { scope: "string", begin: '"', end: '"', contains: [hljs.BACKSLASH_ESCAPE] },
      { scope: "number", begin: /(?<![\p{L}\p{N}_'.])\d[\w.]*/u },
    ],
  });
}
