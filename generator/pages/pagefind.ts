/** The search that works from files alone: Pagefind bundles over the public view.
 *
 *  Pagefind has no incremental build, so the objects are dealt out to bundles by a hash of their key, and only bundles
 *  whose members changed are made again; the browser merges them. The number of bundles follows from the number of
 *  objects and from nothing else, so that the same library gives the same files. */
import { crc32 } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { KIND_TITLES } from "../../snapshots/page/kind-titles.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { compareNames, type FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { PagefindProcess } from "./pagefind-process.ts";
import type { BuildState } from "../state.ts";

/** Documents in one bundle at most: making one again takes a few hundred milliseconds. */
const BUNDLE_DOCUMENTS = 512;
/** Characters of an object's text that are indexed in the browser's index; the server's index has all of it. */
const MAX_TEXT = 1200;

/** What Pagefind is given of a page; `meta` is shown with a result, `kind` as a reader reads it. */
type PageRecord = {
  readonly url: string;
  readonly content: string;
  readonly language: "en";
  readonly meta: { readonly title: string; readonly key: string; readonly kind: string };
};

type Entry = {
  readonly id: string;
  /** Digest of what decides the record, beside the id. */
  readonly facts: string;
  record(): Promise<PageRecord>;
};

const TYPES: readonly (readonly [ending: string, type: string])[] = [
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
];

/** Bundles as files under pagefind/, and what to remember of them.
 *  @param facts digest that stands for an object's content
 *  @param pagefind may be on its way; closed when the bundles are made
 *  @throws ShelfError "build_failed" when Pagefind refuses something, ends or hangs */
export async function pagefindFiles(options: {
  readonly data: ViewData;
  readonly facts: (key: string) => string;
  readonly extract: (key: string) => Promise<Extract>;
  readonly shelf: Pick<Shelf, "putBlob">;
  readonly known: BuildState["bundles"];
  readonly pagefind: Promise<PagefindProcess>;
  /** Called once Pagefind is at work, or has nothing to do: from then on it is another process's time. */
  readonly onBegun?: () => void;
}): Promise<{ readonly files: readonly FileEntry[]; readonly bundles: BuildState["bundles"]; readonly made: number }> {
  const { data, shelf, known } = options;
  const entries = [...entriesOf(data, options.facts, options.extract)];
  let count = 1;
  while (entries.length / count > BUNDLE_DOCUMENTS) count *= 2;
  const dealt: Entry[][] = Array.from({ length: count }, () => []);
  for (const entry of entries) dealt[crc32(entry.id) % count]?.push(entry);

  const files: FileEntry[] = [];
  const bundles: Record<string, BuildState["bundles"][string]> = {};
  const stale: number[] = [];
  for (const [number, members] of dealt.entries()) {
    const facts = sha256(`${MAX_TEXT}\n${members.map(({ id, facts }) => `${JSON.stringify(id)} ${facts}\n`).join("")}`);
    const before = known[String(number)];
    if (before?.facts === facts) bundles[String(number)] = before;
    else {
      stale.push(number);
      bundles[String(number)] = { facts, files: [] };
    }
  }
  if (stale.length === 0) options.onBegun?.();
  else {
    const pagefind = await options.pagefind;
    try {
      for (const number of stale) {
        bundles[String(number)] = {
          facts: bundles[String(number)]?.facts ?? "",
          files: await makeBundle(pagefind, shelf, number, dealt[number] ?? [], options.onBegun),
        };
      }
    } finally {
      await pagefind.close();
    }
  }
  for (const bundle of Object.values(bundles)) files.push(...bundle.files);
  const list = Buffer.from(JSON.stringify({ bundles: dealt.map((_, number) => `pagefind/${number}/`) }));
  const digest = sha256(list);
  await shelf.putBlob(digest, list);
  files.push({ path: "pagefind/bundles.json", sha256: digest, size: list.length, type: "application/json" });
  return { files, bundles, made: stale.length };
}

async function makeBundle(
  pagefind: PagefindProcess,
  shelf: Pick<Shelf, "putBlob">,
  number: number,
  members: readonly Entry[],
  onSent: (() => void) | undefined,
): Promise<FileEntry[]> {
  const { index, errors } = await pagefind.ask(({ createIndex }) => createIndex({ forceLanguage: "en" }));
  if (index === undefined) throw new ShelfError("build_failed", `Pagefind did not start: ${errors.join("; ")}`);
  // Read first, sent in order after: the numbers that Pagefind gives its pages follow the order of arrival.
  const records = await Promise.all(members.map((entry) => entry.record()));
  const answering = pagefind.ask(() =>
    // It answers in order, so the files may be asked for at once: between the two nobody waits for this process to listen.
    Promise.all([Promise.all(records.map((record) => index.addCustomRecord(record))), index.getFiles()]),
  );
  onSent?.();
  const [answers, { files, errors: failures }] = await answering;
  for (const answer of answers) if (answer.errors.length > 0) throw new ShelfError("build_failed", `Pagefind: ${answer.errors.join("; ")}`);
  if (failures.length > 0) throw new ShelfError("build_failed", `Pagefind: ${failures.join("; ")}`);
  const found = files.filter(({ path }) => path.endsWith(".pf_fragment")).length;
  if (found !== members.length) throw new ShelfError("build_failed", `Pagefind was given ${members.length} records and made ${found}.`);
  const entries: FileEntry[] = [];
  for (const { path, content } of [...files].sort((a, b) => compareNames(a.path, b.path))) {
    // Its own user interface is not used here.
    if (/^pagefind-(ui|modular-ui|component-ui|highlight)\b/.test(path)) continue;
    const digest = sha256(content);
    await shelf.putBlob(digest, content);
    const type = TYPES.find(([ending]) => path.endsWith(ending))?.[1] ?? "application/octet-stream";
    entries.push({ path: `pagefind/${number}/${path}`, sha256: digest, size: content.length, type });
  }
  await pagefind.ask(() => index.deleteIndex());
  return entries;
}

function* entriesOf(data: ViewData, facts: (key: string) => string, extract: (key: string) => Promise<Extract>): Generator<Entry> {
  for (const { key, title, kind } of data.objects) {
    yield {
      id: `object:${key}`,
      facts: facts(key),
      record: async () => recordOf(pagePath.object(key), contentOf(key, await extract(key)), { title, key, kind: KIND_TITLES[kind] }),
    };
  }
  for (const { id, title, scope, statement } of data.claims.claims) {
    const content = [id, title, scope, statement].join("\n");
    yield {
      id: `claim:${id}`,
      facts: sha256(content),
      record: async () => recordOf(pagePath.claim(id), content, { title, key: id, kind: KIND_TITLES.claim }),
    };
  }
  for (const { id, theorem_name: title, module, statement, note } of data.cubs) {
    const content = [id, title, module, statement, note].join("\n");
    yield {
      id: `record:${id}`,
      facts: sha256(content),
      record: async () => recordOf(pagePath.record(id), content, { title, key: id, kind: KIND_TITLES.record }),
    };
  }
}

/** Pagefind refuses a record without content. */
function recordOf(url: string, content: string, meta: PageRecord["meta"]): PageRecord {
  return { url, content: content || meta.title, language: "en", meta };
}

/** Key, headings, declared names and the beginning of the text. */
function contentOf(key: string, { passages, summary }: Extract): string {
  const headings = new Set(passages.flatMap(({ heading, name }) => (name === null ? heading : [...heading, name])));
  let text = "";
  for (const passage of passages) {
    text += `${passage.text}\n`;
    if (text.length >= MAX_TEXT) break;
  }
  return [key, [...headings].join("\n").slice(0, MAX_TEXT), passages.length === 0 ? summary : text.slice(0, MAX_TEXT)]
    .join("\n")
    .toWellFormed();
}
