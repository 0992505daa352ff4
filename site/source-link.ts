/** Addresses outside: of a file at a revision, where a repository's host is one whose addresses are known, and of a report. */
import type { Chrome } from "#snapshots/page";
import { formatShellWord } from "./format.ts";
import type { SourceRef } from "#snapshots/schema";

/** The part of an address between a repository and the revision, by host. */
const FILE_AT: readonly (readonly [host: RegExp, between: string])[] = [
  [/^github\.com$/, "blob"],
  [/^(?:.+\.)?gitlab\.[a-z.]+$/, "-/blob"],
  [/^codeberg\.org$/, "src/commit"],
];

/** sourceHref makes the address of a file at its host.
 *  @returns null when the repository is no web address; its own address when the host's files have an address that nobody knows here */
export function sourceHref({ repo, ref, path }: SourceRef): string | null {
  const url = URL.parse(repo);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  const between = FILE_AT.find(([host]) => host.test(url.hostname))?.[1];
  if (between === undefined) return url.href;
  const parts = [...between.split("/"), ref, ...path.split("/")].map(encodeURIComponent);
  return `${url.href.replace(/\/+$/, "")}/${parts.join("/")}`;
}

/** cloneCommand returns what fetches the repository of an address of a line at one revision; null where the address tells of none. */
export function cloneCommand(line: string | null, revision: string): string | null {
  const [, repository] = /^(https:\/\/[^/]+\/[^?#]+?)\/(?:-\/)?(?:blob|src\/commit)\//.exec(line ?? "") ?? [];
  if (repository === undefined || !/^[0-9a-f]{7,64}$/.test(revision)) return null;
  return `git clone ${formatShellWord(`${repository}.git`)} copy && cd copy && git checkout ${revision}`;
}

/** reportHref returns where a mistake in a thing is reported, with the thing named there; null where the owner takes none. */
export function reportHref({ report, canonical, library }: Chrome, title: string, name: string): string | null {
  if (report === null) return null;
  const subject = `A mistake in ${title} (${name})`;
  const body = [`What is wrong:`, "", "", `${name}, in ${library}`, canonical ?? ""].join("\n");
  const isMail = !/^https?:/.test(report);
  if (isMail)
    return `mailto:${encodeURIComponent(report.replace(/^mailto:/, "")).replace("%40", "@")}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  const url = URL.parse(report);
  url?.searchParams.set("title", subject);
  url?.searchParams.set("body", body);
  return url?.href ?? null;
}
