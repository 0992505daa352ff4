/** The pictures that links to pages are shown with elsewhere: of the library, of each claim and of each record, unless they are many. They hold
 *  titles and standings of one view, and nothing else; ../../generator/pages/share-pictures.ts draws them. */
import { canonicalJson, sha256 } from "../digest.ts";
import { claimStandings } from "../format/claim-standing.ts";
import { recordStanding } from "../format/standing.ts";
import type { ViewData } from "../format/view-data.ts";

/** Counts up whenever another picture is drawn of the same words. */
const FORM = 1;
/** Pictures besides the library's own: each build draws them anew. */
const MOST = 200;

export type SharePicture = {
  /** Site path; its name follows from all that is drawn. */
  readonly path: string;
  readonly library: string;
  /** "" on the library's own. */
  readonly title: string;
  /** A standing in words, or "". */
  readonly state: string;
};

export function sharePicture(library: string, title = "", state = ""): SharePicture {
  const name = sha256(canonicalJson([FORM, library, title, state])).slice(0, 16);
  return { path: `/assets/share-${name}.png`, library, title, state };
}

/** HasPictures tells whether claims and records have pictures of their own. */
export function hasPictures({ claims, cubs }: Pick<ViewData, "claims" | "cubs">): boolean {
  return claims.claims.length + cubs.length <= MOST;
}

/** SharePictures returns all pictures of a view; none where its pages have no address. */
export function sharePictures(data: ViewData): readonly SharePicture[] {
  const { library, claims, cubs } = data;
  if (library.base_url === "" || library.view !== "public") return [];
  const own = sharePicture(library.title);
  if (!hasPictures(data)) return [own];
  const standingOf = claimStandings(data);
  const pictures = [
    own,
    ...claims.claims.map((claim) => sharePicture(library.title, claim.title, standingOf(claim).says)),
    ...cubs.map((record) => sharePicture(library.title, record.theorem_name, recordStanding(record).says)),
  ];
  return [...new Map(pictures.map((picture) => [picture.path, picture])).values()];
}
