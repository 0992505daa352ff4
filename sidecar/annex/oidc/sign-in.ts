/** Sign-in of the library's own: three addresses, and a gate at which a session counts as an identity. README.md says what each check is
 *  against. */
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { z } from "zod";
import { type ErrorCode, ShelfError } from "#snapshots/errors";
import { CACHE } from "#snapshots/http";
import type { AccessConfig, OwnSignIn } from "#snapshots/schema";
import { foldEmail, forbidden, type Gate, type GateVerdict, isAllowed, openGate, refuse } from "#sidecar/gate";
import type { SignInAddresses } from "#sidecar/serve";
import { openCookies, readCookies } from "./cookies.ts";
import { openEnded } from "./ended.ts";
import type { Provider } from "./provider.ts";

const BEGIN = "/internal/sign-in";
/** Where the provider sends people back: its redirect address. */
const FINISH = "/internal/signed-in";
const END = "/internal/sign-out";
const HOME = "/internal/";
const ADDRESSES = [...[BEGIN, FINISH, END].map((path) => ["GET", path] as const), ["POST", END] as const];
/** Folders whose requests carry the session. */
const GATED = ["/internal", "/api/code"];
const SIGN_IN_SECONDS = 600; // from the question to the answer
/** Sign-ins answered that are remembered; each is a hundred bytes. */
const MAX_REMEMBERED = 10_000;
/** Milliseconds for which a provider that could not be read is not asked again. */
const RETRY_MS = 5_000;
/** Cookies of the session's name that are looked at. */
const MAX_PLANTED = 8;

const Begun = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string(), jti: z.string() });
const Session = z.object({
  iss: z.string(),
  client: z.string(),
  sub: z.string(),
  email: z.string().nullable(),
  groups: z.array(z.string()),
  jti: z.string(),
  /** The value of the cookie beside it, which no other host can write. */
  bound: z.string(),
});
type Session = z.infer<typeof Session>;
type Sent = Parameters<Gate["check"]>[0];
type OwnAccess = AccessConfig & { readonly oidc: OwnSignIn };

type Options = {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Pick<Logger, "warn">;
  /** Folder of the sessions that were signed out. */
  readonly ended: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
};

/** openSignIn opens the sign-in, and the gate at which a session counts beside tokens and pairs.
 *  @param access asked each time, so a policy that is read again takes effect at once
 *  @throws TypeError when SESSION_KEY is too short */
export function openSignIn(access: () => AccessConfig | null, options: Options): SignInAddresses & { readonly gate: Gate } {
  const { baseUrl, env, now = Date.now } = options;
  const { origin, protocol } = new URL(baseUrl);
  const isSecure = protocol === "https:";
  const names = isSecure
    ? { begun: "__Host-proofshelf-sign-in", session: "__Secure-proofshelf", bound: "__Host-proofshelf-bound" }
    : { begun: "proofshelf-sign-in", session: "proofshelf", bound: "proofshelf-bound" };
  const attributes = `HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const cookies = openCookies(env["SESSION_KEY"] ?? null, now);
  const answered = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: SIGN_IN_SECONDS * 1000 });
  const ended = openEnded(options.ended, now);
  const providerOf = rememberProvider(`${origin}${FINISH}`, env["OIDC_CLIENT_SECRET"] ?? null);
  const strict = openGate(access);
  const help: Gate["help"] = (path) => {
    return { ...strict.help(path), ...(isOwn(access()) ? { signIn: `${origin}${BEGIN}?to=${encodeURIComponent(path)}` } : {}) };
  };
  return { addresses: ADDRESSES, answer, gate: { check, help } };

  /** answer is null of every other request, and when the configuration has no sign-in of its own. */
  async function answer(request: Request): Promise<Response | ShelfError | null> {
    const url = new URL(request.url);
    const config = access();
    if (!isOwn(config)) return null;
    const isGet = request.method === "GET";
    try {
      if (url.pathname === BEGIN && isGet) return await begin(config, url);
      if (url.pathname === FINISH && isGet) return await finish(config, request);
      if (url.pathname === END && (isGet || request.method === "POST")) return await end(config, request);
    } catch (error) {
      return refusal(`the provider could not be asked: ${(error as Error).message}`, NOT_REACHED);
    }
    return null;
  }

  async function begin({ oidc }: OwnAccess, { searchParams }: URL): Promise<Response> {
    const provider = await providerOf(oidc);
    const { url: question, ...begun } = await provider.begin();
    const content = { ...begun, to: pathWithin(searchParams.get("to"), origin), jti: randomUUID() };
    const sealed = await cookies.seal("sign-in", content, SIGN_IN_SECONDS);
    return redirect(question, [cookie(names.begun, sealed, "/", SIGN_IN_SECONDS)]);
  }

  async function finish(config: OwnAccess, request: Request): Promise<Response | ShelfError> {
    const own = config.oidc;
    const [sealed = null, ...others] = readCookies(request.headers.get("cookie"), names.begun);
    const begun = Begun.safeParse(others.length > 0 ? null : await cookies.open("sign-in", sealed)).data;
    if (begun === undefined) return refusal("no sign-in is under way in this browser", AGAIN);
    if (answered.has(begun.jti)) return refusal("answered before", AGAIN);
    answered.set(begun.jti, true);
    const provider = await providerOf(own);
    // By the library's own address: that of the request is the caller's word.
    const cameTo = new URL(`${origin}${FINISH}${new URL(request.url).search}`);
    const person = await provider.finish(cameTo, begun).catch((error: Error) => error);
    if (person instanceof Error) return refusal(describe(person), AGAIN);
    const session: Session = {
      iss: own.issuer,
      client: own.clientId,
      sub: person.subject,
      email: person.email === null ? null : foldEmail(person.email),
      // Those that the policy names: a cookie has little room, and no others are anybody's business.
      groups: person.groups.filter((group) => own.groups.includes(group)),
      jti: randomUUID(),
      bound: randomUUID(),
    };
    if (!isLetIn(session, config)) return refusal("policy", NOT_LET_IN);
    const seconds = Math.round(own.sessionHours * 3600);
    const value = await cookies.seal("session", session, seconds);
    const kept = GATED.map((path) => cookie(names.session, value, path, seconds));
    const bound = cookie(names.bound, session.bound, "/", seconds);
    return redirect(begun.to, [cookie(names.begun, "", "/", 0), bound, ...kept]);
  }

  async function end({ oidc: own }: OwnAccess, request: Request): Promise<Response> {
    const session = await findSession(request.headers, own);
    if (request.method === "GET") return askToEnd(session);
    // Without a session that counts there is nothing to end, and another site may end none.
    if (session === null) return redirect("/", []);
    ended.add(session.jti, own.sessionHours);
    const gone = GATED.map((path) => cookie(names.session, "", path, 0));
    return redirect("/", [cookie(names.bound, "", "/", 0), ...gone]);
  }

  async function check(headers: Sent, only?: "people"): Promise<GateVerdict> {
    const config = access();
    // Machines send what they send everywhere.
    if (!isOwn(config) || Object.values(config.headers).some((name) => headers.get(name) !== null)) return strict.check(headers, only);
    const session = await findSession(headers, config.oidc);
    if (session === null) {
      const fixes = [`Sign in at ${origin}${BEGIN}`];
      return refuse("no_credentials", new ShelfError("unauthenticated", "Sign in to see this.", { fixes }));
    }
    if (!isLetIn(session, config)) return forbidden("policy");
    return { ok: true, identity: { kind: "person", name: session.email ?? session.sub, email: session.email } };
  }

  /** findSession takes the session that was begun together with the cookie beside it: a sibling host can plant others under its name. */
  async function findSession(headers: Sent, own: OwnSignIn): Promise<Session | null> {
    const sent = headers.get("cookie");
    const [bound = null, ...others] = readCookies(sent, names.bound);
    if (bound === null || others.length > 0 || !isOwnRequest(headers, origin)) return null;
    for (const sealed of readCookies(sent, names.session).slice(0, MAX_PLANTED)) {
      const session = Session.safeParse(await cookies.open("session", sealed)).data;
      if (session === undefined || session.bound !== bound || session.iss !== own.issuer || session.client !== own.clientId) continue;
      return ended.has(session.jti) ? null : session;
    }
    return null;
  }

  /** The sign-in that was under way is over with it. */
  function refusal(reason: string, [code, message, ...fixes]: Refusal): ShelfError {
    options.log.warn({ reason }, "a sign-in was refused");
    return new ShelfError(code, message, { fixes, headers: { "Set-Cookie": cookie(names.begun, "", "/", 0) } });
  }

  function cookie(name: string, value: string, path: string, seconds: number): string {
    return `${name}=${value}; Path=${path}; Max-Age=${seconds}; ${attributes}`;
  }
}

type Refusal = readonly [code: ErrorCode, message: string, ...fixes: string[]];
const AGAIN: Refusal = [
  "unauthenticated",
  "This sign-in was not begun in this browser, took too long, or was refused.",
  `Begin again at ${BEGIN}`,
];
const NOT_LET_IN: Refusal = ["forbidden", "You are signed in, but the policy does not let you in."];
const NOT_REACHED: Refusal = ["keys_unavailable", "The provider that signs people in could not be reached.", "Try again in a minute."];

function isOwn(config: AccessConfig | null): config is OwnAccess {
  return config !== null && config.oidc !== null;
}

function isLetIn({ sub, email, groups }: Session, config: OwnAccess): boolean {
  if (groups.some((group) => config.oidc.groups.includes(group))) return sub !== "";
  return email !== null && isAllowed({ kind: "person", name: email, email }, config);
}

/** isOwnRequest tells whether a page of this library sent a request, or a person who follows a link or types an address. Browsers write these
 *  headers, and no script can. */
function isOwnRequest(headers: Sent, origin: string): boolean {
  const [from, site, mode] = ["origin", "sec-fetch-site", "sec-fetch-mode"].map((name) => headers.get(name));
  if (site === "same-origin" || site === "none") return true;
  if (from !== null && from !== origin) return false;
  return site === null || mode === "navigate";
}

/** @returns a path under /internal/ of this library, whatever was asked */
function pathWithin(asked: string | null, origin: string): string {
  const url = asked === null || !asked.startsWith("/") ? null : URL.parse(asked, origin);
  const isWithin = url !== null && url.origin === origin && url.pathname.startsWith(HOME) && ![BEGIN, FINISH, END].includes(url.pathname);
  return isWithin ? url.pathname + url.search : HOME;
}

function redirect(to: string, setCookies: readonly string[]): Response {
  const headers = new Headers({ Location: to, "Cache-Control": CACHE.private, "Referrer-Policy": "no-referrer" });
  for (const cookie of setCookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** A page with one button: a link of another site must end no session. */
function askToEnd(session: Session | null): Response {
  const who = session === null ? "Nobody is signed in here." : "You are signed in.";
  const form = session === null ? "" : '<form method="post"><button>Sign out</button></form>';
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign out</title><main><h1>Sign out</h1><p>${who}</p>${form}</main></html>`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  };
  return new Response(html, { headers });
}

/** Reads a provider once, and once more after it could not be read. */
function rememberProvider(redirectTo: string, secret: string | null): (own: OwnSignIn) => Promise<Provider> {
  const known = new LRUCache<string, Promise<Provider>>({ max: 4 });
  return (own) => {
    const key = JSON.stringify(own);
    const found = known.get(key);
    if (found !== undefined) return found;
    const opened = import("./provider.ts").then(({ openProvider }) => openProvider(own, redirectTo, secret));
    known.set(key, opened);
    opened.catch(() => known.set(key, opened, { ttl: RETRY_MS }));
    return opened;
  };
}

/** For the log: what was wrong stands in the cause of what openid-client throws. */
function describe(thrown: Error & { readonly error?: unknown }): string {
  const { message, cause, error } = thrown;
  const why = typeof error === "string" ? error : cause instanceof Error ? cause.message : null;
  return why === null ? message : `${message}: ${why}`;
}
