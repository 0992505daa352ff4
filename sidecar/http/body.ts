/** The bodies that effects take, and how long each may be: Hono's body limit counts them while they stream. */
import type { z } from "zod";
import { parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { AskRequest, ReindexRequest } from "#snapshots/schema";
import { explainUnknown } from "#snapshots/routes";

/** MAX_ASK_BYTES is the most bytes of a body of ask: a question of 500 code points is at most 2,000 bytes, escaped at most 6,000. */
export const MAX_ASK_BYTES = 8 * 1024;
export const MAX_MCP_BYTES = 64 * 1024;

/** MAX_REINDEX_BYTES has room for a thousand keys of the greatest length. */
export const MAX_REINDEX_BYTES = 1024 * 1024;

const MAX_UNKNOWN = 5; // names that an answer repeats
const MAX_NAME = 64; // UTF-16 units of each

/** parseAskBody reads the question of a JSON body, or of a form's.
 *  @throws ShelfError "bad_json" with one entry per bad member */
export function parseAskBody(bytes: Uint8Array, contentType: string | null): AskRequest {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = isForm(contentType) && !text.trimStart().startsWith("{") ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  } catch (cause) {
    throw new ShelfError("bad_json", "The body is not JSON in UTF-8.", { cause, fixes: [EXAMPLE] });
  }
  const parsed = AskRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = explain(parsed.error.issues, Object.keys(AskRequest.shape));
  const message = errors
    .map(({ pointer, detail }) =>
      pointer === "" ? "The body is not an object." : `${pointer.slice(1)} ${detail.replace(/(?<!\?)$/, ".")}`,
    )
    .join(" ");
  throw new ShelfError("bad_json", message, { errors, fixes: [EXAMPLE] });
}

/** parseAsked reads a question as a page or a tool has it. @throws ShelfError "bad_parameter" with one entry per wrong member */
export function parseAsked(value: unknown): AskRequest {
  const parsed = AskRequest.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({ pointer: path.join("/"), detail: message }));
  throw new ShelfError("bad_parameter", errors.map(({ pointer, detail }) => `The ${pointer} ${detail}.`).join(" "), { errors });
}

/** @param known members of the body */
function explain(issues: readonly z.core.$ZodIssue[], known: readonly string[]): { readonly pointer: string; readonly detail: string }[] {
  return issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys")
      return [{ pointer: issue.path.map((step) => `/${String(step)}`).join(""), detail: issue.message }];
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => {
      const name = key.slice(0, MAX_NAME);
      return {
        pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        detail: `is ${explainUnknown(name, known, "unknown")}`,
      };
    });
  });
}

/** parseReindexBody reads the keys that may have changed; null when there is no body, or an empty object. @throws ShelfError "bad_json" */
export function parseReindexBody(bytes: Uint8Array): readonly string[] | null {
  if (bytes.length === 0) return null;
  const parsed = ReindexRequest.safeParse(parseJson(new TextDecoder().decode(bytes)));
  if (parsed.success) return parsed.data.keys ?? null;
  throw new ShelfError("bad_json", "The body is no list of keys.", {
    errors: explain(parsed.error.issues, Object.keys(ReindexRequest.shape)),
    fixes: ['Send {"keys": ["notes/a.md"]}, or no body to look at everything.'],
  });
}

const EXAMPLE = 'Send {"question": "…", "prefix": ""}.';

/** The type that a page without script sends; also what some clients say of JSON when they are not told otherwise. */
function isForm(contentType: string | null): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(contentType ?? "");
}
