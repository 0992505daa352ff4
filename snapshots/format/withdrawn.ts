/** Where the notice of something withdrawn stands, and what is answered there. */
import { ShelfError } from "#snapshots/errors";
import type { Withdrawal } from "#snapshots/schema";
import { CITATION_FILES, objectPath, pageImagesOf, pagePath, parseKeyPath, parsePart } from "./layout.ts";
import type { ViewData } from "./view-data.ts";

/** replacementHref returns the site path or web address of what takes the place of something withdrawn; null where nothing does. */
export function replacementHref({ what, replacement }: Withdrawal): string | null {
  if (replacement === null) return null;
  return isAddress(replacement) ? replacement : pagePath.source(what, replacement);
}

export function isAddress(replacement: string): boolean {
  return /^https?:\/\//i.test(replacement);
}

/** withdrawalError makes the answer in place of something withdrawn: 410, and 451 where the law wanted it.
 *  @param why it concerns what was asked for, where that is not plain */
export function withdrawalError(notice: Withdrawal, why = ""): ShelfError {
  const { what, name, reason, date, note } = notice;
  const href = replacementHref(notice);
  return new ShelfError(
    reason === "legal" ? "withdrawn_legal" : "withdrawn",
    `${why}The ${what} ${name} was withdrawn on ${date} (${reason}). ${note}`,
    {
      fixes: href === null ? ["/api/rejected has every notice."] : [`What takes its place: ${href}`],
      members: { withdrawn: notice },
    },
  );
}

export function isWithdrawalError({ code }: ShelfError): boolean {
  return code === "withdrawn" || code === "withdrawn_legal";
}

/** orWithdrawn turns an error that says that there is no such thing into one that says that it was withdrawn, where it was. */
export function orWithdrawn(withdrawn: ViewData["withdrawn"], what: Withdrawal["what"], name: string, error: ShelfError): ShelfError {
  const notice = withdrawn?.find((one) => one.what === what && one.name === name);
  return notice === undefined ? error : withdrawalError(notice);
}

/** withdrawalAt returns the notice of the withdrawn thing that a path was the address of.
 *  @param path as sent, within a view or a snapshot */
export function withdrawalAt(withdrawn: ViewData["withdrawn"], path: string): Withdrawal | null {
  const spelled = parseKeyPath(parsePart(path).slug);
  const isImage = ({ what, name }: Withdrawal): boolean => what === "object" && spelled.startsWith(`/${pageImagesOf(name)}`);
  return withdrawn?.find((one) => isImage(one) || addressesOf(one).some((address) => parseKeyPath(address) === spelled)) ?? null;
}

function addressesOf({ what, name }: Withdrawal): readonly string[] {
  const page = pagePath.source(what, name);
  const json = `/api/cubs/${name}`;
  const own = { object: [objectPath(name)], claim: [], record: [json, `${json}.json`, `${json}/code`, `${page}badge.svg`] };
  const beside = ["index.md", ...Object.keys(CITATION_FILES)].map((file) => page + file);
  return [page, page.slice(0, -1), ...beside, pagePath.revisions(page), ...own[what]];
}
