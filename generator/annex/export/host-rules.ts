/** Files with which an exported folder tells hosts what they can be told: `_headers` and `_redirects` (Netlify, Cloudflare Pages and others), and
 *  a file to include in nginx. A host that reads none of them serves the pages all the same. */
import { PAGE_POLICY } from "#snapshots/http";

const IMMUTABLE = "public, max-age=31536000, immutable";

type Rules = readonly (readonly [path: string, headers: Readonly<Record<string, string>>])[];

/** Paths, each ending in the sign for whatever follows, with their headers. The first one that fits is nginx's last: there they do not add up. */
const HEADERS: Rules = [
  ["/*", { "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Content-Security-Policy": PAGE_POLICY }],
  ["/objects/*", { "Content-Security-Policy": "sandbox" }],
  ["/api/*", { "Access-Control-Allow-Origin": "*" }],
  ["/assets/*", { "Cache-Control": IMMUTABLE }],
  ["/shelf/blobs/*", { "Cache-Control": IMMUTABLE }],
  ["/shelf/*", { "Access-Control-Allow-Origin": "*" }],
];

/** typeRules gives rules for the types that no host knows by an ending: those of files without one, and of tables. A folder of such files is one
 *  rule, since hosts take few, and two rules that fit one path would give it two types.
 *  @param files under api/, with their media types */
export function typeRules(files: ReadonlyMap<string, string>): Rules {
  const rules = new Map<string, string>();
  for (const [path, type] of files) {
    const [top, name = "", ...deeper] = path.split("/");
    if (name.endsWith(".json")) continue;
    rules.set(`/${top}/${name}${deeper.length === 0 ? "" : "/*"}`, type);
  }
  return [...rules].sort().map(([path, type]) => [path, { "Content-Type": type }]);
}

/** formatHeaders writes `_headers`. @param types of `typeRules` */
export function formatHeaders(types: Rules): string {
  return [...HEADERS, ...types].map(([path, headers]) => `${path}\n${linesOf(headers, (name, value) => `  ${name}: ${value}`)}`).join("");
}

function linesOf(headers: Readonly<Record<string, string>>, format: (name: string, value: string) => string): string {
  return Object.entries(headers)
    .map(([name, value]) => `${format(name, value)}\n`)
    .join("");
}

/** formatRedirects writes `_redirects`. @param routes whose answers lie in files of their paths with `.json` behind, and in no file of the paths
 *  themselves */
export function formatRedirects(routes: readonly string[]): string {
  return routes
    .map((route) => route.replaceAll(/\{(\w+)\}/g, ":$1"))
    .map((path) => `${path} ${path}.json 200\n`)
    .join("");
}

/** formatNginx writes the file to include in nginx.
 *  @param base path of the library's address without its last slash: "" or "/library"
 *  @param types of `typeRules` */
export function formatNginx(base: string, types: Rules): string {
  const common = HEADERS[0]?.[1] ?? {};
  const added = (path: string): string =>
    linesOf(
      { ...common, ...HEADERS.find(([candidate]) => candidate === path)?.[1] },
      (name, value) => `  add_header ${name} "${value}" always;`,
    );
  const endings = new Map(
    types.flatMap(([path, { "Content-Type": type = "" }]) => {
      const ending = /\.(\w+)$/.exec(path)?.[1];
      return ending === undefined ? [] : [[ending, type] as const];
    }),
  );
  const refusal = JSON.stringify({
    title: "Not implemented",
    status: 501,
    code: "not_configured",
    detail: "This host serves files and answers no queries. Leave the parameters out for everything, and see api/list/ for each prefix.",
  });
  return `# Include this in a server block whose root holds the export at ${base}/
charset utf-8;
location ^~ ${base}/ {
  index index.html;
  error_page 404 ${base}/404.html;
${added("/*")}  location ~ /index\\.md$ { default_type text/markdown; }
  try_files $uri $uri/ =404;
}
location ^~ ${base}/api/ {
${added("/api/*")}  types { ${[...endings].map(([ending, type]) => `"${type}" ${ending};`).join(" ")} }
  default_type application/json;
  if ($args) { return 501 '${refusal}'; }
  try_files $uri $uri.json =404;
}
location ^~ ${base}/objects/ {
${added("/objects/*")}  try_files $uri =404;
}
location ^~ ${base}/assets/ {
${added("/assets/*")}  try_files $uri =404;
}
location ^~ ${base}/shelf/ {
${added("/shelf/*")}  try_files $uri =404;
}
`;
}
