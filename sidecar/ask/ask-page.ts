/** GET /ask/?question=…: the answer as a page, for readers without a script, and for an address that can be kept. GET, because the same
 *  form then works where nothing answers. The question is in the address: nothing here may be cached, indexed or logged with its
 *  query, and every call counts as a question of the client. */
import type { OpenSnapshot } from "#snapshots/query";
import { renderedAnswer, type View } from "#snapshots/http";
import { ShelfError } from "#snapshots/errors";
import { pagePath, toShelfError } from "#snapshots/format";
import { askedPage, askedWith, askForm, chromeOf } from "#snapshots/page";
import { AskRequest, type AskResponse } from "#snapshots/schema";
import { rateLimited, type RateVerdict, toResponse } from "#sidecar/http";

type AskPageOptions = {
  readonly open: OpenSnapshot;
  readonly verdict: RateVerdict;
  readonly answer: (request: AskRequest) => Promise<AskResponse>;
  readonly onProblem: (error: ShelfError) => void;
};

/** askPage makes the page of an answer. @param params of the URL, with a question */
export async function askPage(of: View, params: URLSearchParams, options: AskPageOptions): Promise<Response> {
  const { open, verdict, answer, onProblem } = options;
  const data = await open.snapshot.data();
  let status = 200;
  let model = { ...askForm(data), ...askedWith(params) };
  try {
    if (!verdict.ok) throw rateLimited("ask");
    const parsed = AskRequest.safeParse(askedWith(params));
    if (!parsed.success)
      throw new ShelfError("bad_parameter", parsed.error.issues.map(({ path, message }) => `The ${path.join(".")} ${message}.`).join(" "));
    model = askedPage(data, await answer(parsed.data));
  } catch (thrown) {
    const error = toShelfError(thrown);
    onProblem(error);
    status = error.status;
    model = { ...model, problem: error.message };
  }
  const rendered = await renderedAnswer(of, open, status, { chrome: chromeOf(data, pagePath.ask), model });
  const response = toResponse(rendered);
  // A page is for its reader; scripts of other sites have POST /api/ask.
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.set("X-Robots-Tag", "noindex");
  for (const [name, value] of Object.entries(verdict.headers)) response.headers.set(name, value);
  return response;
}
