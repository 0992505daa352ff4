/** Deposits as Zenodo's API gives them: one record, a list of records, or what a search found. */
import { z } from "zod";
import { plainIn } from "#snapshots/blocks";
import { type ImportEntry, Text } from "./entry.ts";

const Person = z.looseObject({ name: Text });
const File = z.looseObject({
  key: Text.optional(),
  filename: Text.optional(),
  checksum: Text.optional(),
  links: z.looseObject({ self: Text.optional(), download: Text.optional() }).default({}),
});
const Deposit = z.looseObject({
  id: Text,
  doi: Text.optional(),
  links: z.looseObject({ html: Text.optional(), self_html: Text.optional() }).default({}),
  metadata: z.looseObject({
    title: Text,
    creators: z.array(Person).default([]),
    publication_date: Text.optional(),
    description: Text.default(""),
    version: Text.optional(),
    license: z.union([Text, z.looseObject({ id: Text })]).optional(),
  }),
  files: z.array(File).default([]),
});
const Found = z.union([
  z.looseObject({ hits: z.looseObject({ hits: z.array(Deposit) }) }).transform(({ hits }) => hits.hits),
  z.array(Deposit),
  Deposit.transform((one) => [one]),
]);

/** Identifiers as SPDX has them, of those that Zenodo writes otherwise. */
const SPDX = /^(cc-by(?:-nc)?(?:-sa|-nd)?-\d\.\d|cc0-1\.0|mit|apache-2\.0|(?:a|l)?gpl-\d\.\d(?:-only|-or-later)?|bsd-\d-clause)$/i;

/** readZenodo reads entries from Zenodo's list of deposits. @throws Error for what is no JSON, or no deposit */
export function readZenodo(text: string): readonly ImportEntry[] {
  return Found.parse(JSON.parse(text)).map(({ id, doi, links, metadata, files }) => {
    const said = metadata.license === undefined ? null : typeof metadata.license === "string" ? metadata.license : metadata.license.id;
    return {
      id: `zenodo-${id}`,
      title: textOfHtml(metadata.title) || id,
      authors: metadata.creators.map(({ name }) => turned(name)).filter(Boolean),
      date: /^\d{4}(?:-\d\d){0,2}$/.test(metadata.publication_date ?? "") ? (metadata.publication_date ?? null) : null,
      license: said === null ? null : SPDX.test(said) ? spdx(said) : said,
      abstract: textOfHtml(metadata.description),
      doi: doi ?? null,
      url: links.html ?? links.self_html ?? null,
      venue: metadata.version === undefined ? null : `version ${metadata.version}`,
      files: files.map((file) => ({
        name: file.key ?? file.filename ?? "file",
        url: file.links.download ?? file.links.self ?? null,
        checksum: file.checksum ?? null,
      })),
    };
  });
}

/** "Lovelace, Ada" is Ada Lovelace. */
function turned(name: string): string {
  const [family = "", given, ...more] = name.split(",").map((part) => part.trim());
  return given === undefined || more.length > 0 ? name : `${given} ${family}`;
}

function spdx(license: string): string {
  return /^mit$|^cc|^bsd|gpl/i.test(license)
    ? license
        .toUpperCase()
        .replace("-CLAUSE", "-Clause")
        .replace(/-(ONLY|OR-LATER)$/, (end) => end.toLowerCase())
    : "Apache-2.0";
}

/** textOfHtml gives the words of a description, on one line. */
function textOfHtml(html: string): string {
  return plainIn(html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, " "), "html");
}
