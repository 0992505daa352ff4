/** Titles and summaries of real files out of Debian's packages, held against the titles that a person gave them. */
import { execFile } from "node:child_process";
import { readFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ShelfError } from "../../snapshots/errors.ts";
import { extract } from "../extract/extract.ts";
import { fileName } from "../extract/media-type.ts";
import { findPackage } from "./manuals.ts";

const run = promisify(execFile);
/** The titles of the second were written before any program had seen its files. */
const TABLES = { "in sight": "titles.tsv", "set aside": "titles-aside.tsv" } as const;
type TableName = keyof typeof TABLES;

/** A file, by its package and its path there, and the titles that are right. */
type Row = { readonly set: TableName; readonly pack: string; readonly path: string; readonly right: readonly string[] };
export type JudgedTitle = Row & {
  readonly title: string;
  readonly summary: string;
  readonly isRight: boolean;
  /** Wrong, and more than the name of the file or of its module: it says something else. */
  readonly isEmbarrassing: boolean;
  readonly isBadSummary: boolean;
};

/** Words that no summary says: rights, people, ways to other pages, notes of authors, code. Written apart from what the readers go by. */
const BAD_SUMMARY =
  /copyright|all rights reserved|licen[cs]e v|@\w+\.\w|^\W*\||\[next|\[top of|table of contents|institution:|^(?:new in version|source code:|todo|fixme|safety:)|begin hide|\{-#|;$/i;
const NAMES_ALONE = /^(?:\p{Lu}[\p{L}.'-]*[ ,]*){2,6}$/u;

async function readTable(set: TableName): Promise<readonly Row[]> {
  const lines = (await readFile(new URL(TABLES[set], import.meta.url), "utf8")).trimEnd().split("\n");
  return lines.map((line) => {
    const [whole = "", ...right] = line.split("\t");
    const at = whole.indexOf("/");
    return { set, pack: whole.slice(0, at), path: whole.slice(at + 1), right };
  });
}

/** judgeTitles judges titles.
 *  @param packages folder of .deb files; one that is not there is downloaded into it */
export async function judgeTitles(packages: string): Promise<readonly JudgedTitle[]> {
  const rows = [...(await readTable("in sight")), ...(await readTable("set aside"))];
  const unpacked = await mkdtemp(join(tmpdir(), "eval-titles-"));
  try {
    for (const pack of new Set(rows.map((row) => row.pack)))
      await run("dpkg-deb", ["-x", await findPackage(packages, pack), join(unpacked, pack)]);
    const judged: JudgedTitle[] = [];
    for (const row of rows) judged.push(await judge(row, join(unpacked, row.pack, row.path)));
    return judged;
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

async function judge(row: Row, file: string): Promise<JudgedTitle> {
  const bytes = await readFile(file).catch(async (cause: unknown) => {
    const there = await readdir(join(file, "..")).catch(() => []);
    throw new ShelfError("bad_source", `${row.pack} has no ${row.path}; its folder has ${there.length} files.`, { cause });
  });
  const { title, summary } = await extract(`${row.pack}/${row.path}`, bytes);
  const isRight = row.right.some((one) => fold(one) === fold(title));
  const isName = fold(title) === fold(fileName(row.path)) || /^[\w.:/-]+$/.test(title);
  return {
    ...row,
    title,
    summary,
    isRight,
    isEmbarrassing: !isRight && !isName,
    isBadSummary: BAD_SUMMARY.test(summary) || NAMES_ALONE.test(summary),
  };
}

/** Words alone; a chapter's number in front is left out. */
function fold(title: string): string {
  const bare = title.normalize("NFKC").replace(/^\d+(?:\.\d+)*\.\s+/, "");
  return (bare.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ");
}

export function formatTitles(all: readonly JudgedTitle[]): string {
  const share = (rows: readonly JudgedTitle[], is: (row: JudgedTitle) => boolean): string =>
    `${((100 * rows.filter(is).length) / rows.length).toFixed(1)} %`;
  const line = (name: string, rows: readonly JudgedTitle[]): string =>
    `${name.padEnd(10)}  ${String(rows.length).padStart(4)} files  right ${share(rows, ({ isRight }) => isRight)}  embarrassing ${share(rows, ({ isEmbarrassing }) => isEmbarrassing)}  bad summary ${share(rows, ({ isBadSummary }) => isBadSummary)}  no summary ${share(rows, ({ summary }) => summary === "")}\n`;
  const wrong = all.filter(({ isRight, isBadSummary }) => !isRight || isBadSummary);
  return [
    line("all", all),
    ...(["in sight", "set aside"] as const).map((name) =>
      line(
        name,
        all.filter(({ set }) => set === name),
      ),
    ),
    ...wrong.map(({ pack, path, title, right, isRight, isBadSummary, summary }) =>
      [
        `${pack}/${path}\n`,
        isRight ? "" : `  said    ${title}\n  right   ${right.join(" | ")}\n`,
        isBadSummary ? `  summary ${summary.slice(0, 100)}\n` : "",
      ].join(""),
    ),
  ].join("");
}
