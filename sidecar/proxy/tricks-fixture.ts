/** Tricks of strangers in front of a cache: spellings of a target, methods with headers, and bytes that no HTTP library sends. */

/** SPELLINGS are other spellings of a target; some are nonsense, some would be the same path to a careless program. */
export const SPELLINGS: readonly ((target: string) => string)[] = [
  (target) => target,
  (target) => `/${target}`,
  (target) => `//${target}`,
  (target) => `/.${target}`,
  (target) => `/./.${target}`,
  (target) => `/%2e${target}`,
  (target) => `/x/..${target}`,
  (target) => `/x/%2e%2e${target}`,
  (target) => `/x/%2E%2E${target}`,
  (target) => `/x/..%2f${target.slice(1)}`,
  (target) => `/objects/..${target}`,
  (target) => `/assets/..${target}`,
  (target) => `/assets/..%2f${target.slice(1)}`,
  (target) => `/assets/%2e%2e${target}`,
  (target) => `/internal/..${target}`,
  (target) => `/notes/one.md/..;${target}`,
  (target) => target.toUpperCase(),
  (target) => target.replace("/i", "/I").replace("/a", "/A"),
  (target) => target.replace("/i", "/%69").replace("/a", "/%61"),
  (target) => target.replace("/i", "/%2569").replace("/a", "/%2561"),
  (target) => target.replace("/i", "/%49"),
  (target) => target.replace("internal/", "internal%2f").replace("api/", "api%2f"),
  (target) => target.replace("internal/", "internal%2F"),
  (target) => target.replace("internal/", "internal//"),
  (target) => target.replace("internal/", "internal/./"),
  (target) => target.replace("internal/", "internal/x/../"),
  (target) => target.replace("internal/", "internal/x/%2e%2e/"),
  (target) => target.replace("internal", "internal;"),
  (target) => target.replace("internal", "internal;x=y"),
  (target) => target.replace("internal/", "internal/;/"),
  (target) => target.replace("internal/", "internal\\"),
  (target) => target.replace("/internal", "\\internal"),
  (target) => target.replace("internal", "internal%20"),
  (target) => target.replace("internal", "internal%00"),
  (target) => target.replace("internal", "internal."),
  (target) => target.replace("internal", "%ef%bd%89nternal"),
  (target) => withPath(target, (path) => `${path}.css`),
  (target) => withPath(target, (path) => `${path};.css`),
  (target) => withPath(target, (path) => `${path}/x.css`),
  (target) => withPath(target, (path) => `${path}/assets/x.js`),
  (target) => withPath(target, (path) => `${path}%3f.css`),
  (target) => withPath(target, (path) => `${path}%23.css`),
  (target) => withPath(target, (path) => `${path}%0a.css`),
  (target) => withPath(target, (path) => `${path}%00.css`),
  (target) => withPath(target, (path) => `${path}/..%2fx.css`),
  (target) => withPath(target, (path) => `${path}/%2e%2e/assets/x.css`),
  (target) => withPath(target, (path) => `${path}/`),
  (target) => withPath(target, (path) => `${path}//`),
  (target) => withPath(target, (path) => path.replace(/\/$/, "")),
  (target) => `${target}${target.includes("?") ? "&" : "?"}x.css`,
  (target) => `${target}${target.includes("?") ? "&" : "?"}x=/assets/a.css`,
  (target) => `${target}#.css`,
  (target) => `${target}?`,
  (target) => `http://127.0.0.1${target}`,
  (target) => `http://library.example${target}`,
  (target) => `/at/current${target}`,
  (target) => `/internal${target}`,
  (target) => target.replace(/^\/internal/, ""),
];

function withPath(target: string, change: (path: string) => string): string {
  const cut = target.indexOf("?");
  return cut < 0 ? change(target) : change(target.slice(0, cut)) + target.slice(cut);
}

type Try = { readonly method: string; readonly headers: Readonly<Record<string, string | readonly string[]>> };

/** strangers lists strangers' headers.
 *  @param target the gated path, for headers that name another path than the request line does
 *  @param etag a validator that members were sent for it */
export function strangers(target: string, etag: string): readonly Try[] {
  const get = (headers: Try["headers"]): Try => ({ method: "GET", headers });
  return [
    get({}),
    get({ "accept-encoding": "br, gzip" }),
    get({ "accept-encoding": "gzip" }),
    get({ range: "bytes=0-199" }),
    get({ "if-none-match": etag }),
    get({ "if-none-match": "*" }),
    get({ authorization: "Bearer x", accept: "text/css" }),
    get({ "edge-access-token": "x.y.z" }),
    get({ "edge-access-token": "" }),
    get({ "edge-access-client-id": "ci.example" }),
    get({ cookie: "edge-access-token=x; session=1" }),
    get({ "cache-control": "only-if-cached, max-stale=999999" }),
    get({ connection: "close, edge-access-token, authorization" }),
    get({ host: "library.example", "x-forwarded-host": "library.example", "x-forwarded-for": "127.0.0.1" }),
    get({
      "x-original-url": target,
      "x-rewrite-url": target,
      "x-http-method-override": "GET",
      "x-forwarded-prefix": "/internal",
      "x-accel-redirect": target,
    }),
    { method: "HEAD", headers: {} },
    { method: "POST", headers: { "content-length": "0" } },
    { method: "OPTIONS", headers: { origin: "http://library.example" } },
    { method: "PURGE", headers: {} },
  ];
}

/** rawRequests are whole requests as bytes. `gated` stands where a parser may look and where it may not. */
export function rawRequests(gated: string): readonly string[] {
  const end = "\r\nHost: x\r\nConnection: close\r\n\r\n";
  return [
    `GET ${gated}\r\n`,
    `GET ${gated} HTTP/0.9\r\n\r\n`,
    `GET ${gated} HTTP/1.0\r\n\r\n`,
    `GET ${gated} HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n`,
    `GET ${gated} HTTP/2.0${end}`,
    `GET ${gated} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    `GET  ${gated}  HTTP/1.1${end}`,
    `GET\t${gated}\tHTTP/1.1${end}`,
    `get ${gated} HTTP/1.1${end}`,
    `GeT ${gated} HTTP/1.1${end}`,
    `BAN ${gated} HTTP/1.1${end}`,
    `PURGE ${gated} HTTP/1.1${end}`,
    `TRACE ${gated} HTTP/1.1${end}`,
    `CONNECT ${gated} HTTP/1.1${end}`,
    `\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `GET ${gated} x HTTP/1.1${end}`,
    `GET ${gated}\x00.css HTTP/1.1${end}`,
    `GET ${gated}\x0b.css HTTP/1.1${end}`,
    `GET ${gated}\xff.css HTTP/1.1${end}`,
    `GET ${gated}\r.css HTTP/1.1${end}`,
    `GET *${gated} HTTP/1.1${end}`,
    `GET ${gated.slice(1)} HTTP/1.1${end}`,
    `GET internal:${gated} HTTP/1.1${end}`,
    `GET http://x:y@127.0.0.1${gated} HTTP/1.1${end}`,
    `GET HTTP://X${gated} HTTP/1.1${end}`,
    `GET https://x${gated} HTTP/1.1${end}`,
    `GET http:/${gated} HTTP/1.1${end}`,
    `GET ${gated} HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n`,
    `GET ${gated} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n edge-access-token: x\r\n\r\n`,
    `GET ${gated} HTTP/1.1\r\nHost : x\r\nConnection: close\r\n\r\n`,
    `GET ${gated} HTTP/1.1\r\nHost: x\r\nEdge_Access_Token: x\r\nConnection: close\r\n\r\n`,
    `GET ${gated} HTTP/1.1\r\nHost: x\r\nEdge-Access-Token:\r\nEdge-Access-Token: x\r\nConnection: close\r\n\r\n`,
    `GET ${gated} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    // A second request inside the first one's body, for whoever counts the body in another way.
    `POST /api/list HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `POST /api/list HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `POST /api/list HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `GET /api/list HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `GET /api/list HTTP/1.1\r\nHost: x\r\nContent-Length: +0\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `GET /api/list HTTP/1.1\r\nHost: x\r\n\r\nGET ${gated} HTTP/1.1${end}`,
    `GET /api/list\r\nX: GET ${gated} HTTP/1.1${end}`,
    `HEAD /api/list HTTP/1.1\r\nHost: x\r\n\r\nGET ${gated} HTTP/1.1${end}`,
  ];
}
