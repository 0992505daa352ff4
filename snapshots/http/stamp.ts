/** Facts that stored files cannot hold, because a snapshot knows nothing but itself: put in when a file is served or exported. The tokens
 *  are HTML comments, which no sanitised text of a stranger contains. */
import type { OpenSnapshot } from "#snapshots/query";
import type { Service } from "./view.ts";

/** stampPage fills the stamp of a page. @returns the page with its stamp filled, or the same bytes when it has none */
export async function stampPage({ router, stamps }: Service, open: OpenSnapshot, path: string, html: Uint8Array): Promise<Uint8Array> {
  const bytes = Buffer.from(html.buffer, html.byteOffset, html.length);
  const id = router.matchPath(path)?.route.id;
  const stamp = stamps.find(({ pages, token }) => pages.some((page) => page === id) && bytes.includes(token));
  if (stamp === undefined) return html;
  const { token } = stamp;
  const at = bytes.indexOf(token);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(await stamp.html(open, path)), bytes.subarray(at + token.length)]);
}
