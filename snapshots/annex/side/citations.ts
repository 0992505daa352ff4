/** How an object, a claim, a record or the whole snapshot is cited: CSL-JSON, and BibTeX made of it. The address is the one under
 *  /at/<snapshot>/, which never shows anything else. */
import { absoluteHref, type ViewData } from "#snapshots/format";
import type { OpenSnapshot } from "#snapshots/query";
import { KINDS } from "#snapshots/schema";
import { flat, type PageInput } from "#snapshots/page";

/** An item of CSL-JSON 1.0. */
type CslItem = {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly author?: readonly { readonly literal: string }[];
  readonly issued?: { readonly "date-parts": readonly (readonly number[])[] };
  readonly publisher: string;
  readonly URL: string;
  readonly version: string;
  readonly note: string;
};

type Cited = Pick<CslItem, "type" | "title"> & {
  readonly name: string;
  readonly authors: readonly string[];
  /** As RFC 3339 begins; null when unknown. */
  readonly date: string | null;
  /** Further names of it, and its licence. */
  readonly notes: readonly string[];
};

/** citation writes how a page's thing is cited. @returns null for a page of a thing that cannot be cited */
export async function citation(open: OpenSnapshot, input: PageInput, file: string): Promise<string | null> {
  const data = await open.snapshot.data();
  const cited = await findCited(open, data, input);
  if (cited === null) return null;
  const { id } = open.snapshot;
  const [, ...parts] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?/.exec(cited.date ?? "") ?? [];
  const numbers = parts.filter((part) => part !== undefined).map(Number);
  const item: CslItem = {
    id: citationKey(cited.name, id),
    type: cited.type,
    title: flat(cited.title),
    ...(cited.authors.length === 0 ? {} : { author: cited.authors.map((name) => ({ literal: flat(name) })) }),
    ...(numbers.length === 0 ? {} : { issued: { "date-parts": [numbers] } }),
    publisher: flat(data.library.title),
    URL: absoluteHref(data, input.chrome.path, id),
    version: `snapshot ${id}`,
    note: cited.notes.join("; "),
  };
  return file.endsWith(".bib") ? bibtex(item) : `${JSON.stringify([item], null, 1)}\n`;
}

async function findCited({ snapshot }: OpenSnapshot, data: ViewData, { model }: PageInput): Promise<Cited | null> {
  const digestOf = async (path: string): Promise<readonly string[]> => {
    const entry = await snapshot.find(path);
    return entry === null ? [] : [`SHA-256 of ${path}: ${entry.sha256}`];
  };
  const terms = (license: string | undefined): string => `Licence: ${license ?? "not stated"}`;
  switch (model.page) {
    case "object": {
      if (model.part > 1) return null;
      const { key, title, kind, authors = [], date, uploaded, sha256, swhid, license } = model;
      const notes = [`SHA-256: ${sha256}`, ...(swhid === undefined ? [] : [swhid]), terms(license)];
      return { name: key, type: KINDS[kind].citation, title, authors, date: date ?? uploaded, notes };
    }
    case "claim": {
      const { id, title } = model.claim;
      const notes = [`Claim ${id}, ${model.standing.says}`, ...(await digestOf("api/claims.json"))];
      return { name: id, type: "document", title, authors: [], date: data.claims.meta.generated, notes };
    }
    case "record": {
      const { id, theorem_name: title, license } = model.record;
      const notes = [`Proof record ${id}, ${model.standing.says}`, ...(await digestOf(`api/cubs/${id}.json`)), terms(license)];
      return { name: id, type: "document", title, authors: [], date: data.meta?.updated_iso ?? null, notes };
    }
    case "front":
      return {
        name: data.library.title,
        type: "collection",
        title: data.library.title,
        authors: [],
        date: snapshot.record.created,
        notes: ["The snapshot's id is the SHA-256 of its root tree"],
      };
    default:
      return null;
  }
}

/** Letters and digits alone, told apart by the snapshot. */
function citationKey(name: string, snapshot: string): string {
  const words = name.normalize("NFKD").replaceAll(/[^A-Za-z0-9]+/g, "-");
  return `${words.replaceAll(/^-+|-+$/g, "").slice(-60) || "item"}-${snapshot.slice(0, 8)}`;
}

function bibtex({ id, type, title, author = [], issued, publisher, URL: url, version, note }: CslItem): string {
  const [year, month] = issued?.["date-parts"][0] ?? [];
  const fields: readonly (readonly [name: string, value: string])[] = [
    ["title", `{${escapeLatex(title)}}`],
    ...(author.length === 0 ? [] : [["author", author.map(({ literal }) => `{${escapeLatex(literal)}}`).join(" and ")] as const]),
    ...(year === undefined ? [] : [["year", String(year)] as const]),
    ...(month === undefined ? [] : [["month", String(month)] as const]),
    ["publisher", escapeLatex(publisher)],
    ["version", escapeLatex(version)],
    ["url", url.replaceAll(/[{}\\]/g, encodeURIComponent)],
    ["note", escapeLatex(note)],
  ];
  return `@${type === "article" ? "article" : "misc"}{${id},\n${fields.map(([name, value]) => `  ${name} = {${value}}`).join(",\n")}\n}\n`;
}

const LATEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
};

function escapeLatex(text: string): string {
  return text.toWellFormed().replaceAll(/[\\~^&%$#_{}]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
}
