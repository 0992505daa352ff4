/** Requests to be let in: the form on the page of a refusal, and the page that says how a request stands. README.md says what it tells whom. */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { z } from "zod";
import { type AccessRequest, appendLine, readRequests } from "../../../snapshots/annex/requests/index.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { CACHE } from "../../../snapshots/http/index.ts";
import { escapeXml } from "../../../snapshots/page/text-files.ts";
import type { AccessConfig } from "../../../snapshots/schema/index.ts";
import type { Gate } from "../../gate/gate.ts";
import { readBody } from "../../http/body.ts";
import { problemResponse } from "../../http/respond.ts";

const PATH = "/internal/request";
const MAX_BYTES = 8 * 1024; // of a form
/** Of the file: some 2,000 requests. A stranger can fill it, and no more. */
const MAX_FILE = 1024 * 1024;

const Form = z.object({
  email: z
    .string()
    .trim()
    .max(254)
    .regex(/^[^\s@]+@[^\s@]+$/),
  reason: z.string().trim().max(500).default(""),
});

type Options = { readonly baseUrl: string; readonly log: { info(entry: object, text: string): void }; readonly now?: () => Date };

/** OpenRequests answers PATH, and tells the pages of refusals of it.
 *  @param access asked each time, so a configuration that is read again takes effect at once */
export function openRequests(access: () => AccessConfig | null, { baseUrl, log, now = () => new Date() }: Options) {
  const fileOf = (): string | null => access()?.requests ?? null;
  const { origin } = new URL(baseUrl);

  async function take(file: string, request: Request): Promise<Response> {
    const form = Form.safeParse(Object.fromEntries(new URLSearchParams(new TextDecoder().decode(await readBody(request, MAX_BYTES)))));
    if (!form.success) throw new ShelfError("bad_request", "A request has an email address, and a reason of at most 500 characters.");
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_FILE)
      throw new ShelfError("overloaded", "Too many requests wait to be looked at.", { fixes: ["Try again in a few days."] });
    const id = randomUUID();
    appendLine(file, { id, at: now().toISOString(), ...form.data });
    log.info({ request: id }, "somebody asked to be let in; see: proofshelf access list");
    return new Response(null, { status: 303, headers: { Location: `${PATH}?id=${id}`, "Cache-Control": CACHE.private } });
  }

  return {
    /** Null of every other request, and where none are taken. */
    async answer(request: Request): Promise<Response | null> {
      const url = new URL(request.url);
      const file = fileOf();
      if (url.pathname !== PATH || file === null) return null;
      try {
        if (request.method === "POST") {
          // A page elsewhere asks for nobody.
          const from = request.headers.get("origin");
          if (from !== null && from !== origin && from !== url.origin)
            throw new ShelfError("bad_origin", "A request comes from a page of this library.");
          return await take(file, request);
        }
        const found = readRequests(file).find(({ id }) => id === url.searchParams.get("id"));
        if (request.method !== "GET" || found === undefined) throw new ShelfError("not_found", "There is no such request.");
        return describe(found);
      } catch (error) {
        if (error instanceof ShelfError) return problemResponse(error, baseUrl);
        throw error;
      }
    },
    /** The same gate, whose refusals lead to the form. */
    withRequests: (gate: Gate): Gate => ({
      check: (headers) => gate.check(headers),
      checkHuman: (headers) => gate.checkHuman(headers),
      help: (path) => ({ ...gate.help(path), request: fileOf() === null ? null : PATH }),
    }),
  };
}

const STATES: Readonly<Record<AccessRequest["state"], string>> = {
  waiting: "It waits. Nobody has looked at it yet. Keep the address of this page, and look again.",
  granted: "It was granted. Sign in with this address.",
  refused: "It was refused.",
};

function describe({ state, at, email, note }: AccessRequest): Response {
  const said = note === "" ? "" : `<p>${escapeXml(note)}</p>`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="robots" content="noindex"><title>Your request</title><main><h1>Your request</h1><p>${escapeXml(email)} asked to be let in on ${at.slice(0, 10)}.</p><p><strong>${STATES[state]}</strong></p>${said}</main></html>`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": CACHE.private,
  };
  return new Response(html, { headers });
}
