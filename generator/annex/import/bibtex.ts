/** A bibliography as BibTeX or BibLaTeX, read by Citation.js. Only its reader of texts is called, by name: what guesses the form of a text
 *  would fetch one that is an address. */
import { plugins } from "@citation-js/core";
import "@citation-js/plugin-bibtex";
import { z } from "zod";
import type { ImportEntry } from "./entry.ts";

const FORM = "@biblatex/text";

const Name = z.looseObject({
  family: z.string().default(""),
  given: z.string().default(""),
  literal: z.string().optional(),
  "dropping-particle": z.string().default(""),
  "non-dropping-particle": z.string().default(""),
  suffix: z.string().optional(),
});
const Work = z.looseObject({
  id: z.coerce.string(),
  title: z.string().default(""),
  author: z.array(Name).default([]),
  editor: z.array(Name).default([]),
  issued: z.looseObject({ "date-parts": z.array(z.array(z.coerce.number())).default([]) }).optional(),
  abstract: z.string().default(""),
  DOI: z.string().optional(),
  URL: z.string().optional(),
  "container-title": z.string().optional(),
  publisher: z.string().optional(),
});
const Raw = z.array(z.looseObject({ label: z.coerce.string(), properties: z.record(z.string(), z.unknown()) }));

/** readBibtex reads the works of a bibliography. Where it cannot be read as a whole, each entry is read by itself.
 *  @returns the works, and what is wrong with each entry that cannot be read
 *  @throws Error when none can be read */
export function readBibtex(text: string): { readonly entries: readonly ImportEntry[]; readonly left: readonly string[] } {
  const whole = withKeys(text);
  try {
    return { entries: readWorks(whole), left: [] };
  } catch (cause) {
    const parts = whole.split(/^(?=[ \t]*@\w+\s*[{(])/m).filter((part) => /^\s*@/.test(part));
    const macros = parts.filter((part) => /^\s*@string\b/i.test(part)).join("\n");
    const left: string[] = [];
    const entries = parts.flatMap((part) => {
      if (/^\s*@(?:string|comment|preamble)\b/i.test(part)) return [];
      try {
        return readWorks(`${macros}\n${part}`);
      } catch (error) {
        left.push(
          `${part.trim().split("\n")[0]?.slice(0, 80)}: ${(error instanceof Error ? error.message : String(error)).split("\n")[0]}`,
        );
        return [];
      }
    });
    if (entries.length === 0) throw cause;
    return { entries, left };
  }
}

/** Gives a key to entries that have none, as Google Scholar and JabRef write them, takes blanks out of the others, and
 *  writes braces for parentheses. */
function withKeys(text: string): string {
  let made = 0;
  const braced = text.replaceAll(/^([ \t]*@\w+\s*)\(([\s\S]*?)\)(?=\s*(?:^[ \t]*@|(?![\s\S])))/gm, "$1{$2}");
  return braced.replaceAll(
    /^([ \t]*@(?!string|comment|preamble)\w+\s*[{(])\s*(?:(,)|(?=\w+\s*=)|([^,={}()"\n]*,))/gim,
    (_, head: string, comma?: string, key?: string) =>
      key === undefined || comma !== undefined ? `${head}work-${++made},` : `${head}${key.trim().replaceAll(/\s+(?!,)/g, "-")}`,
  );
}

function readWorks(text: string): readonly ImportEntry[] {
  const given = { forceType: FORM, generateGraph: false, maxChainLength: 10, strict: true, target: "@csl/list+object" };
  const works = z.array(Work).parse(plugins.input.chain(text, given));
  const raw = Raw.parse(plugins.input.chainLink(text, given));
  // The licence is no member of CSL.
  const licences = new Map(raw.map(({ label, properties }) => [label, properties["license"] ?? properties["licence"]]));
  return works.map((work) => {
    const people = work.author.length > 0 ? work.author : work.editor;
    const license = licences.get(work.id);
    return {
      id: work.id,
      title: bare(work.title) || work.id,
      authors: people.map(nameOf).filter((name) => name !== "" && name !== "others"),
      date: dateOf(work.issued?.["date-parts"][0] ?? []),
      license: typeof license === "string" ? bare(license) : null,
      abstract: bare(work.abstract),
      doi: work.DOI ?? null,
      url: work.URL ?? null,
      venue: bare(work["container-title"] ?? work.publisher ?? "") || null,
      files: [],
    };
  });
}

function nameOf({ family, given, literal, suffix, ...particles }: z.infer<typeof Name>): string {
  const before = [particles["dropping-particle"], particles["non-dropping-particle"]].filter(Boolean).join(" ");
  // An Arabic article is written together with its name.
  const own = /(?:^|\s)(?:al|el|ad|an|ar|as|at|az)$/i.test(before) ? `${before}-${family}` : `${before} ${family}`;
  const whole = `${given} ${own}`.trim();
  return bare(literal ?? (suffix === undefined ? whole : `${whole}, ${suffix}`));
}

/** CSL has marks of HTML in its texts. */
function bare(text: string): string {
  return (
    text
      .replaceAll(/<\/?(?:i|b|sub|sup|sc|span)\b[^<>]{0,200}>/gi, "")
      // LaTeX that Citation.js does not know, and what exporters write for the web.
      .replaceAll(/\\((?:La|Bib|Xe|Lua)?TeX)\b/g, "$1")
      .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"' })[name] ?? "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .toWellFormed()
  );
}

function dateOf([year, month, day]: readonly number[]): string | null {
  if (year === undefined || !Number.isInteger(year) || year < 0 || year > 9999) return null;
  const parts = [String(year).padStart(4, "0"), ...[month, day].filter((n) => n !== undefined).map((n) => String(n).padStart(2, "0"))];
  return parts.join("-");
}
