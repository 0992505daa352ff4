/** A real OpenID provider on this machine, and a browser that keeps cookies and follows where it is led, for tests. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export const LIBRARY = "http://library.test";
export const CLIENT = { id: "library", secret: "a secret of the library" };

type Person = Readonly<{ email?: string; email_verified?: boolean; groups?: readonly string[] }>;
export type Running = { readonly issuer: string; stop(): void };

/** startProvider starts a provider of sign-in.
 *  @param people by the name with which they log in */
export async function startProvider(people: Readonly<Record<string, Person>>): Promise<Running> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${LIBRARY}/internal/signed-in`] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    cookies: { keys: ["key of a test"] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
  });
  server.on("request", (request, response) => void provider.callback()(request, response));
  return { issuer, stop: () => void (server.closeAllConnections(), server.close()) };
}

export type Page = { readonly url: URL; readonly status: number; readonly body: string; readonly headers: Headers };
type Asked = { readonly form?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>> };

/** Browser is a browser without a window.
 *  @param place where the library listens, whose address is LIBRARY */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly place: string;

  constructor(place: string) {
    this.place = place;
  }

  /** Cookies of the library, as `name=value`, by name and path. */
  cookies(): readonly string[] {
    return [...this.#cookies].filter(([place]) => place.startsWith(LIBRARY)).map(([place, value]) => `${place.split(" ")[1]}=${value}`);
  }

  put(name: string, path: string, value: string): void {
    this.#cookies.set(`${LIBRARY} ${name} ${path}`, value);
  }

  async ask(address: string | URL, { form, headers = {} }: Asked = {}): Promise<Page> {
    const url = new URL(address, LIBRARY);
    const cookie = [...this.#cookies].flatMap(([place, value]) => {
      const [origin, name, path = ""] = place.split(" ");
      return origin === url.origin && url.pathname.startsWith(path) ? [`${name}=${value}`] : [];
    });
    const target = url.origin === LIBRARY ? this.place + url.pathname + url.search : url.href;
    const response = await fetch(target, {
      redirect: "manual",
      headers: { ...headers, ...(cookie.length === 0 ? {} : { cookie: cookie.join("; ") }) },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value = "", rest = ""] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      const place = `${url.origin} ${name} ${/path=([^;]*)/i.exec(rest)?.[1] ?? "/"}`;
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(rest)) this.#cookies.delete(place);
      else this.#cookies.set(place, value);
    }
    return { url, status: response.status, body: await response.text(), headers: response.headers };
  }

  /** Goes where it is led, until `until` says that the address is not to be opened. */
  async follow(page: Page, until: (url: URL) => boolean = () => false): Promise<Page> {
    let now = page;
    for (let hop = 0; hop < 10; hop++) {
      const location = now.headers.get("location");
      if (location === null) return now;
      const next = new URL(location, now.url);
      if (until(next)) return { ...now, url: next };
      now = await this.ask(next);
    }
    throw new Error("led in a circle");
  }

  /** Signs in as somebody, up to the address that the provider leads back to, which is not opened.
   *  @param begin where; the library's own sign-in */
  async logIn(name: string, begin: string | URL = "/internal/sign-in"): Promise<URL> {
    const isBack = (url: URL): boolean => url.origin === LIBRARY && url.pathname === "/internal/signed-in";
    let page = await this.follow(await this.ask(begin), isBack);
    while (!isBack(page.url)) {
      const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(page.body) ?? [];
      const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page.body) ?? [];
      if (action === "") throw new Error(`no form at ${page.url.href}: ${page.status} ${page.body.slice(0, 300)}`);
      const form = prompt === "login" ? { prompt, login: name, password: "any" } : { prompt };
      page = await this.follow(await this.ask(new URL(action, page.url), { form }), isBack);
    }
    return page.url;
  }
}
