/** Facts that stored files cannot hold, because a snapshot knows nothing but itself: put in when a file is served or exported. The tokens
 *  are HTML comments, which no sanitised text of a stranger contains. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { PLAIN_FILES } from "../format/stamped.ts";
import { matchPath } from "../routes/match.ts";
import type { Stamp } from "./context.ts";
import { HISTORY_STAMPS } from "../annex/history/stamps.ts";
import { LEAK_STAMPS } from "../annex/leaks/answers.ts";

/** What a page says where a host gives it whatever its query says: only an export knows that it will be on one. */
const HOST_STAMP = "<!--stamp:host-->";
const STAMPS: readonly Stamp[] = [
  ...HISTORY_STAMPS,
  ...LEAK_STAMPS,
  { token: HOST_STAMP, pages: ["registry-page", "registry-part", "browse"], html: (_, __, plainFiles) => (plainFiles ? PLAIN_FILES : "") },
];

/** @param plainFiles whether the page goes to a host that answers no query
 *  @returns the page with its stamp filled, or the same bytes when it has none */
export async function stampPage(open: OpenSnapshot, path: string, html: Uint8Array, plainFiles = false): Promise<Uint8Array> {
  const bytes = Buffer.from(html.buffer, html.byteOffset, html.length);
  const id = matchPath(path)?.route.id;
  const stamp = STAMPS.find(({ pages, token }) => id !== undefined && pages.includes(id) && bytes.includes(token));
  if (stamp === undefined) return html;
  const { token } = stamp;
  const at = bytes.indexOf(token);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(await stamp.html(open, path, plainFiles)), bytes.subarray(at + token.length)]);
}
