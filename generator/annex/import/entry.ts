/** The result of an import for each item of a list of works, whatever form the list has. */
import { z } from "zod";
import { stringify } from "yaml";

/** ImportEntry is a work, as a stranger's file says it. */
export type ImportEntry = {
  /** Its id in the list: a file is named after it. */
  readonly id: string;
  readonly title: string;
  readonly authors: readonly string[];
  /** As far as it is known: YYYY, YYYY-MM or YYYY-MM-DD. */
  readonly date: string | null;
  readonly license: string | null;
  readonly abstract: string;
  readonly doi: string | null;
  readonly url: string | null;
  /** Where it appeared, or its version. */
  readonly venue: string | null;
  /** Files of it that lie elsewhere. */
  readonly files: readonly { readonly name: string; readonly url: string | null; readonly checksum: string | null }[];
};

const MAX_SLUG = 80; // characters of a file's name without its ending

/** Text is a cell of a table, or a member of JSON: text, or nothing. */
export const Text = z.union([z.string(), z.number().transform(String)]).transform((text) => text.toWellFormed().trim());

/** slugOf makes a name that every file system takes and no path leads out of: letters, digits and hyphens. */
export function slugOf(id: string, taken: ReadonlySet<string>): string {
  const plain = id.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const words = plain.replaceAll(/[^A-Za-z0-9]+/g, "-").slice(0, MAX_SLUG);
  const slug = words.replaceAll(/^-+|-+$/g, "") || "work";
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** addressOf gives the address of a DOI, or of the work; null where neither is one. */
export function addressOf({ doi, url }: Pick<ImportEntry, "doi" | "url">): string | null {
  if (doi !== null && /^10\.\d{4,9}\/\S+$/.test(doi)) return `https://doi.org/${encodeURI(doi)}`;
  const parsed = url === null ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === "" ? parsed.href : null;
}

/** formatEntry writes the entry as a Markdown object: what is known of it stands in the block above the text, where a build reads it. */
export function formatEntry(entry: ImportEntry): string {
  const { title, authors, date, license, abstract, venue, files } = entry;
  const head = stringify({
    title,
    ...(authors.length === 0 ? {} : { authors: [...authors] }),
    ...(date === null ? {} : { date }),
    ...(license === null ? {} : { license }),
  });
  const address = addressOf(entry);
  const lines = [
    ...(address === null ? [] : [`- Source: <${address}>`]),
    ...(venue === null ? [] : [`- In: ${plain(venue)}`]),
    ...files.map(({ name, url, checksum }) => {
      const to = addressOf({ doi: null, url });
      return `- File: ${to === null ? plain(name) : `[${plain(name)}](<${to}>)`}${checksum === null ? "" : `, ${plain(checksum)}`}`;
    }),
  ];
  return `---\n${head}---\n\n# ${plain(title)}\n${abstract === "" ? "" : `\n${plain(abstract)}\n`}${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}`;
}

/** One line, in which nothing of Markdown or HTML is anything else than its signs. */
function plain(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .replaceAll(/[\\`*_{}[\]<>#|~$&]/g, "\\$&");
}
