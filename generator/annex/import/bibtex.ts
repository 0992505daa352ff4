/** A bibliography as BibTeX or BibLaTeX, read by Citation.js. Only its reader of texts is called, by name: what guesses the form of a text
 *  would fetch one that is an address. */
import { plugins } from "@citation-js/core";
import "@citation-js/plugin-bibtex";
import { z } from "zod";
import type { Entry } from "./entry.ts";

const FORM = "@biblatex/text";

const Name = z.looseObject({ family: z.string().optional(), given: z.string().optional(), literal: z.string().optional() });
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

/** @throws Error for what is no BibTeX, with its line */
export function readBibtex(text: string): readonly Entry[] {
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
      authors: people.map(({ family = "", given: first = "", literal }) => bare(literal ?? `${first} ${family}`)).filter(Boolean),
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

/** CSL has marks of HTML in its texts. */
function bare(text: string): string {
  return text
    .replaceAll(/<\/?(?:i|b|sub|sup|sc|span)\b[^<>]{0,200}>/gi, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toWellFormed();
}

function dateOf([year, month, day]: readonly number[]): string | null {
  if (year === undefined || !Number.isInteger(year) || year < 0 || year > 9999) return null;
  const parts = [String(year).padStart(4, "0"), ...[month, day].filter((n) => n !== undefined).map((n) => String(n).padStart(2, "0"))];
  return parts.join("-");
}
