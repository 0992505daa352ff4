/** The search of an export: Pagefind, once, over the objects, records and claims that have a page. Its filters have the names and values of the
 *  search page's parameters, and those of the registry's filters. The index has one language, English, because a browser loads one: endings of
 *  words of other languages stay on them. */
import { close, createIndex, type CustomRecord, type IndexFile, type PagefindIndex } from "pagefind";
import { ShelfError } from "#snapshots/errors";
import { claimStandings, findCollection, leadingPrefixes, type ObjectRow, pagePath, type ViewData } from "#snapshots/format";
import { filterValues, namesOf, type OpenSnapshot } from "#snapshots/query";
import { type Claim, RECORD_FILTERS, type CubRecord, type Extract, type Kind } from "#snapshots/schema";
import { DIGEST_START, spellOtherwise } from "#snapshots/words";

const TOGETHER = 64; // pages that Pagefind is given before it is waited for
const MAX_TEXT = 1200; // characters of an object's text, of its headings and of its names: with all of it Pagefind takes more than twice as long
/** Files that no page of ours loads: Pagefind's own pages, and its program for other languages and threads. */
const UNUSED = /^(?:pagefind-(?:ui|modular-ui|component-ui|highlight|worker)|wasm\.unknown)\b/;
const FIXES = ["Export again; if it happens again, look whether the machine is short of memory, or add --without-search."];

type Page = Omit<CustomRecord, "language">;

/** searchFiles makes Pagefind's files over the pages of a snapshot.
 *  @throws ShelfError "build_failed" when Pagefind refuses a page, or ends before it is done */
export async function searchFiles(open: OpenSnapshot): Promise<readonly IndexFile[]> {
  const ended = Promise.withResolvers<never>();
  // Pagefind's package waits for ever for a program that is gone; then this process has nothing else to live for, and hears of it here.
  const onIdle = (): void => ended.reject(new Error("its program ended before it was done"));
  process.once("beforeExit", onIdle);
  try {
    return await Promise.race([indexPages(open), ended.promise]);
  } catch (error) {
    throw new ShelfError("build_failed", `Pagefind made no search: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
      fixes: FIXES,
    });
  } finally {
    process.off("beforeExit", onIdle);
    await close();
  }
}

async function indexPages(open: OpenSnapshot): Promise<readonly IndexFile[]> {
  const { index, errors } = await createIndex({ forceLanguage: "en" });
  if (index === undefined) throw new Error(errors.join("; "));
  let adding: ReturnType<PagefindIndex["addCustomRecord"]>[] = [];
  const added = async (): Promise<void> => {
    const wrong = (await Promise.all(adding)).flatMap((answer) => answer.errors);
    if (wrong.length > 0) throw new Error(wrong.join("; "));
    adding = [];
  };
  // In order: the numbers that Pagefind gives its pages follow it.
  for await (const page of pagesOf(open)) {
    adding.push(index.addCustomRecord({ ...page, language: "en" }));
    if (adding.length === TOGETHER) await added();
  }
  await added();
  const { files, errors: failures } = await index.getFiles();
  if (failures.length > 0) throw new Error(failures.join("; "));
  return files.filter(({ path }) => !UNUSED.test(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function* pagesOf({ snapshot }: OpenSnapshot): AsyncGenerator<Page> {
  const data = await snapshot.data();
  for (const record of data.cubs) yield recordPage(record);
  const standingOf = claimStandings(data);
  for (const claim of data.claims.claims) yield claimPage(claim, standingOf(claim).state);
  for (const row of data.objects) yield objectPage(data, row, await snapshot.extract(row.key));
}

function objectPage({ library }: ViewData, row: ObjectRow, extract: Extract | null): Page {
  const { key, title, kind, source, sha256: digest } = row;
  const collection = findCollection(library.collections, key);
  const leftOver = collection?.prefix === "" ? [`=${collection.id}`] : [];
  return pageOf(pagePath.object(key), key, title, [digest], extract === null ? "" : textOf(extract, kind), {
    kind: [kind],
    prefix: [...leadingPrefixes(key), ...leftOver],
    ...(source === undefined ? {} : { repo: [source.repo] }),
  });
}

/** textOf returns the beginning of what an object says, then its headings and the names that it declares: those of all of it. */
function textOf({ passages, summary }: Extract, kind: Kind): string {
  let text = passages.length === 0 ? summary : "";
  for (const passage of passages) if (text.length < MAX_TEXT) text += `${passage.text}\n`;
  const shown = kind === "markdown" ? text.replaceAll(/^#{1,6}\s+/gm, "") : text;
  const listed = [passages.flatMap(({ heading }) => heading), passages.flatMap(({ name }) => name ?? [])];
  return [shown, ...listed.map((names) => [...new Set(names)].join("\n"))].map((part) => part.slice(0, MAX_TEXT)).join("\n");
}

function claimPage({ id, title, scope, statement, evidence }: Claim, standing: string): Page {
  const digests = evidence.flatMap(({ sha256 }) => sha256 ?? []);
  return pageOf(pagePath.claim(id), id, title, digests, `${statement}\n${scope}`, { kind: ["claim"], standing: [standing] });
}

function recordPage(record: CubRecord): Page {
  const { id, theorem_name: name, statement, module, note, kind, file_shas } = record;
  const filters = RECORD_FILTERS.map((facet) => [facet.name, filterValues(record, facet.name)] as const);
  const page = pageOf(pagePath.record(id), id, name, Object.values(file_shas), [statement, note, module].join("\n"), {
    ...Object.fromEntries(filters),
    kind: ["record", kind.toLowerCase()],
  });
  return { ...page, meta: { ...page.meta, names: [...namesOf(record)].join(" ") } };
}

function pageOf(
  path: string,
  key: string,
  title: string,
  digests: readonly string[],
  said: string,
  filters: Readonly<Record<string, readonly string[]>>,
): Page {
  const standing = filters["standing"]?.[0];
  const others = othersIn(`${title} ${said}`);
  const starts = [...new Set(digests.map((digest) => digest.slice(0, DIGEST_START)))].join(" ");
  return {
    url: path.slice(1),
    // Pagefind refuses a page that says nothing.
    content: said.toWellFormed().trim() || title || key,
    meta: {
      title: title.toWellFormed(),
      key,
      kind: filters["kind"]?.[0] ?? "",
      ...(standing === undefined ? {} : { standing }),
      ...(starts === "" ? {} : { digests: starts }),
      ...(others === "" ? {} : { letters: others }),
    },
    filters: Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, values.filter((value) => value !== "")])),
  };
}

/** Words of a text as people type them who lack its letters, each once. */
function othersIn(text: string): string {
  const words = text.match(/[^\s.,;:!?()[\]{}"|]+/g) ?? [];
  return [...new Set(words.flatMap((word) => (spellOtherwise(word) === word.toLowerCase() ? [] : spellOtherwise(word))))]
    .join(" ")
    .slice(0, MAX_TEXT);
}
