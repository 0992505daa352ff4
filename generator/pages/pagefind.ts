/** The search that works from files alone: Pagefind bundles over the public view. Pagefind has no incremental build, so objects are
 *  dealt out to bundles by a hash of their key, and only bundles whose members changed are made again. The number of bundles
 *  follows from the number of objects alone: the same library gives the same files. */
import { crc32 } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { KIND_TITLES } from "../../snapshots/page/kind-titles.ts";
import type { Extracts } from "../../snapshots/page/stored-pages.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { compareNames, type FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { PagefindProcess } from "./pagefind-process.ts";
import type { PageRecord } from "./pagefind-worker.ts";
import type { BuildState, KnownBundle } from "../state.ts";

const BUNDLE_DOCUMENTS = 512; // at most: one changed document makes all of its bundle again
const MAX_TEXT = 1200; // characters of an object's text; the server's index has all of it

export type Member = {
  readonly id: string;
  /** Of the object, or the id of the claim or record. */
  readonly key: string;
  /** Digest of what decides the record. */
  readonly facts: string;
  record(): Promise<PageRecord>;
};

export type DealtBundle = {
  /** Digest of what decides the bundle. */
  readonly facts: string;
  readonly members: readonly Member[];
};

const TYPES: readonly (readonly [ending: string, type: string])[] = [
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
];

/** Deals a view's pages out to bundles; extracts are read only when a bundle is made. */
export function dealBundles(data: ViewData, extracts: Extracts): readonly DealtBundle[] {
  const members = [...membersOf(data, extracts)];
  let count = 1;
  while (members.length / count > BUNDLE_DOCUMENTS) count *= 2;
  const dealt: Member[][] = Array.from({ length: count }, () => []);
  for (const member of members) dealt[crc32(member.id) % count]?.push(member);
  return dealt.map((bundle) => ({
    facts: sha256(bundle.map(({ id, facts }) => `${JSON.stringify(id)} ${facts}\n`).join("")),
    members: bundle,
  }));
}

/** Bundles as files under pagefind/, and what to remember of them. Those with `kept` are not made.
 *  @throws ShelfError "build_failed" when Pagefind refuses something, ends or hangs */
export async function makeBundles(
  bundles: readonly (DealtBundle & { readonly kept: KnownBundle | null })[],
  shelf: Pick<Shelf, "putBlob">,
  pagefind: () => PagefindProcess,
): Promise<{ readonly files: readonly FileEntry[]; readonly bundles: BuildState["bundles"] }> {
  const made: Record<string, KnownBundle> = {};
  for (const [number, { facts, members, kept }] of bundles.entries()) {
    made[String(number)] = kept ?? { facts, files: await makeBundle(pagefind(), shelf, number, members) };
  }
  const list = Buffer.from(JSON.stringify({ bundles: bundles.map((_, number) => `pagefind/${number}/`) }));
  const digest = sha256(list);
  await shelf.putBlob(digest, list);
  const files = Object.values(made).flatMap((bundle) => bundle.files);
  return {
    files: [...files, { path: "pagefind/bundles.json", sha256: digest, size: list.length, type: "application/json" }],
    bundles: made,
  };
}

async function makeBundle(
  pagefind: PagefindProcess,
  shelf: Pick<Shelf, "putBlob">,
  number: number,
  members: readonly Member[],
): Promise<FileEntry[]> {
  const files = await pagefind.bundle(await Promise.all(members.map((member) => member.record())));
  const found = files.filter(({ path }) => path.endsWith(".pf_fragment")).length;
  if (found !== members.length) throw new ShelfError("build_failed", `Pagefind was given ${members.length} records and made ${found}.`);
  const entries: FileEntry[] = [];
  for (const { path, content } of [...files].sort((a, b) => compareNames(a.path, b.path))) {
    if (/^pagefind-(ui|modular-ui|component-ui|highlight)\b/.test(path)) continue;
    const digest = sha256(content);
    await shelf.putBlob(digest, content);
    const type = TYPES.find(([ending]) => path.endsWith(ending))?.[1] ?? "application/octet-stream";
    entries.push({ path: `pagefind/${number}/${path}`, sha256: digest, size: content.length, type });
  }
  return entries;
}

/** Every page that a reader can find. */
export function* membersOf(data: ViewData, extracts: Extracts): Generator<Member> {
  for (const { key, title, kind } of data.objects) {
    yield {
      id: `object:${key}`,
      key,
      facts: extracts.digest(key),
      record: async () => recordOf(pagePath.object(key), contentOf(key, await extracts.read(key)), { title, key, kind: KIND_TITLES[kind] }),
    };
  }
  for (const { id, title, scope, statement } of data.claims.claims) {
    const content = [id, title, scope, statement].join("\n");
    yield {
      id: `claim:${id}`,
      key: id,
      facts: sha256(content),
      record: async () => recordOf(pagePath.claim(id), content, { title, key: id, kind: KIND_TITLES.claim }),
    };
  }
  for (const { id, theorem_name: title, module, statement, note } of data.cubs) {
    const content = [id, title, module, statement, note].join("\n");
    yield {
      id: `record:${id}`,
      key: id,
      facts: sha256(content),
      record: async () => recordOf(pagePath.record(id), content, { title, key: id, kind: KIND_TITLES.record }),
    };
  }
}

/** Pagefind refuses a record without content. */
function recordOf(url: string, content: string, meta: PageRecord["meta"]): PageRecord {
  return { url, content: content || meta.title, language: "en", meta };
}

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
