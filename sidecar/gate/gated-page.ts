/** Makes the page that a person who is not let in sees, where a program gets a problem body. It follows from the refusal and the configuration
 *  alone, so it says the same whether or not anything is at the address. */
import { readsHtml, strayAnswer, type View } from "#snapshots/http";
import type { ShelfError } from "#snapshots/errors";
import type { Help } from "./gate.ts";
import { refusalHeaders, toResponse } from "#sidecar/http";

/** gatedPage returns the page that a reader gets in place of a gated one.
 *  @param view the public one, whose title and pages it has
 *  @returns null where there is no page to show, or none is wanted */
export async function gatedPage(
  view: View,
  path: string,
  accept: string | null,
  problem: ShelfError,
  help: Help,
): Promise<Response | null> {
  const open = readsHtml(accept) ? await view.current() : null;
  if (open === null) return null;
  const { signIn, contact } = help;
  const { status, message: detail } = problem;
  const page = await strayAnswer(view, open, path, status, { page: "gated", status, detail, signIn, contact }).catch(() => null);
  if (page === null) return null;
  const response = toResponse(page);
  for (const [name, value] of Object.entries(refusalHeaders(problem))) response.headers.set(name, value);
  response.headers.set("X-Robots-Tag", "noindex");
  return response;
}
