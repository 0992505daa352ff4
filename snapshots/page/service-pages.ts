/** Models of the reference, the problem types and the search form. */
import { CODES, type ErrorCode, PROBLEMS } from "#snapshots/errors";
import { errorStatuses, INTERFACE_VERSION, type Route } from "#snapshots/routes";
import type { ViewData } from "#snapshots/format";

const GROUP_TITLES: Readonly<Record<Route["group"], string>> = {
  library: "Library",
  registry: "Registry",
  service: "Service",
  internal: "Gated view",
};

/** referencePage makes the API's reference: every group with its routes, and one group in full.
 *  @param group whose page it is; null for the list of all */
export function referencePage(routes: readonly Route[], baseUrl: string, group: Route["group"] | null = null) {
  const inGroup = (id: string): readonly Route[] => routes.filter((route) => route.group === id);
  return {
    page: "reference" as const,
    version: INTERFACE_VERSION,
    group: group as string | null,
    groups: Object.entries(GROUP_TITLES).map(([id, title]) => ({
      id,
      title,
      operations: inGroup(id).map(({ methods, path, summary }) => ({ method: methods.join(", "), path, summary })),
    })),
    operations: group === null ? [] : inGroup(group).map((route) => operation(route, baseUrl)),
    common: COMMON_ERRORS.map((status) => ({ status: String(status), description: errorTitles(status) })),
  };
}

export const REFERENCE_GROUPS = Object.keys(GROUP_TITLES) as readonly Route["group"][];

/** Errors that any route may answer: see `errorStatuses`. */
const COMMON_ERRORS: readonly number[] = [400, 405, 410, 412, 429, 451, 503];

function operation(route: Route, baseUrl: string) {
  const parts = Object.entries(route.parts);
  const example = parts.reduce(
    (path, [name, part]) => path.replace(new RegExp(`\\{${name}(\\.\\.\\.)?\\}`), () => part.example),
    route.path,
  );
  const required = route.query.filter((item) => item.required).map((item) => `${item.name}=${encodeURIComponent(item.example)}`);
  const url = `${baseUrl}${example}${required.length === 0 ? "" : `?${required.join("&")}`}`;
  const post = route.methods.includes("POST");
  return {
    method: route.methods.join(", "),
    path: route.path,
    summary: route.summary,
    description: route.success.description,
    access: route.access === "public" || route.access === "token" ? route.access : ("gated" as const),
    parameters: [
      ...parts.map(([name, part]) => ({ name, where: "path", required: true, description: part.description })),
      ...route.query.map((item) => ({ name: item.name, where: "query", required: item.required, description: item.description })),
    ],
    responses: [
      ...new Set([
        "200",
        ...Object.keys(route.also ?? {}),
        ...errorStatuses(route)
          .filter((status) => !COMMON_ERRORS.includes(status))
          .map(String),
      ]),
    ]
      .sort()
      .map((status) => ({
        status,
        description: status === "200" ? route.success.description : (route.also?.[Number(status)] ?? errorTitles(Number(status))),
      })),
    example: post ? `curl -sX POST -H 'content-type: application/json' '${url}'` : `curl -s '${url}'`,
  };
}

function errorTitles(status: number): string {
  return Object.values(PROBLEMS)
    .filter((row) => row[0] === status)
    .map((row) => row[1])
    .join("; ");
}

/** EXPLAINED says what each error means, and what to do. */
const EXPLAINED: Readonly<Record<ErrorCode, readonly [meaning: string, fix: string]>> = {
  bad_request: ["The request cannot be read as HTTP intends.", "Check the request line and the headers."],
  bad_path: [
    "The path is not percent-encoded UTF-8, or holds a NUL, a bare backslash or a dot segment.",
    "Encode each segment of the key by itself.",
  ],
  bad_prefix: ["The prefix is longer than a key can be, or holds a NUL.", "Use a leading part of a key, up to 1,024 bytes."],
  unknown_parameter: [
    "The route does not take this parameter; nothing is ignored silently.",
    "Use the parameter that the answer names, or see the reference.",
  ],
  missing_parameter: ["The route needs a parameter that is not there.", "Add it; the answer names it."],
  bad_parameter: ["A parameter has a value that the route does not take.", "The answer says which values it takes."],
  bad_cursor: [
    "The cursor is not one that this service gave out, or belongs to another query.",
    "Take it unchanged from the member next or the Link header, with the same parameters.",
  ],
  bad_cub_id: ["A CUB id is CUB- and at least four digits.", "Write it like CUB-0007."],
  bad_json: ["The body is not the JSON that this route takes.", "Send application/json; the answer points at the place."],
  bad_code_path: [
    "The repository, the revision or the path has a form that cannot exist.",
    "Take the address from the record's integrity index.",
  ],
  unauthenticated: [
    "The route needs credentials, and they are missing or do not hold.",
    "Send the application token, or both halves of the service token.",
  ],
  forbidden: ["The credentials hold, but this identity is not on the list.", "Ask the operator of this library for access."],
  bad_origin: ["The request comes from a web page or for a host that is not allowed.", "Call the service under its own address."],
  not_found: ["Nothing is served at this path.", "See the reference for every path."],
  collection_not_found: ["No collection of this view has this id.", "The catalog names every collection."],
  object_not_found: ["No object of this view has this key.", "List its prefix, or look whether it was rejected."],
  cub_not_found: ["No record has this id in this snapshot.", "Search the registry, or look whether it was rejected."],
  claim_not_found: ["No claim has this id in this snapshot.", "See the list of claims."],
  code_not_found: ["The exact-revision store has no such file that a record pins.", "Take the address from the record's integrity index."],
  snapshot_not_found: ["No snapshot with this id is kept.", "See the list of snapshots."],
  method_not_allowed: ["The path exists, but not with this method.", "Use a method that the Allow header names."],
  reindex_running: ["A rebuild is under way; only one runs at a time.", "Wait for it and look at the snapshot."],
  cursor_expired: ["The snapshot that the cursor belongs to was removed.", "Start again at the first page; the answer links it."],
  snapshot_withdrawn: [
    "The snapshot held something that is no longer public, so all of it was taken out of service.",
    "See the list of snapshots for those that are kept.",
  ],
  withdrawn: [
    "What was at this address was withdrawn; the notice says when, and why.",
    "The answer links what takes its place, where there is something.",
  ],
  withdrawn_legal: [
    "What was at this address was withdrawn for legal reasons; the notice says when.",
    "The operator of this library knows more.",
  ],
  precondition_failed: [
    "If-Match or If-Unmodified-Since asks for a content that is not the one served now.",
    "Fetch it again without the header, and compare.",
  ],
  body_too_large: ["The body is over the limit that the answer names.", "Send less."],
  unsupported_media_type: ["The route takes another media type.", "Send application/json."],
  range_not_satisfiable: ["The range begins after the end of the object.", "The Content-Range header tells its size."],
  rate_limited: ["This client has sent too many requests.", "Wait as long as Retry-After says."],
  internal: ["Something failed here that should not have.", "Tell the operator the request id."],
  overloaded: ["More answers wait for their readers than the server holds at once.", "Wait as long as Retry-After says."],
  no_snapshot: ["Nothing has been published yet.", "The operator runs a build first."],
  snapshot_damaged: ["A stored file does not match its digest, so it is not served.", "The operator runs verify and restores the shelf."],
  registry_unavailable: ["The registry could not be read when this snapshot was built.", "Try again after the next rebuild."],
  keys_unavailable: [
    "The access gateway's keys cannot be fetched now, so no token can be checked.",
    "Try again later; the operator checks access.jwks.",
  ],
  code_store_unavailable: ["The exact-revision store cannot be read now.", "Try again later."],
  code_digest_mismatch: [
    "The stored file is not the file that the record pins, so it is not sent.",
    "The operator restores it from the source repository.",
  ],
  search_unavailable: ["The search index of this snapshot cannot be opened.", "The operator runs a build; browsing works meanwhile."],
  bucket_denied: ["The object storage does not let this service read.", "The operator checks its credentials and rights."],
  bucket_unavailable: ["The object storage does not answer as it should.", "Try again later."],
  not_configured: ["This part of the service is not configured here.", "The operator adds the section that the answer names."],
  bad_config: ["The configuration is not valid.", "Mend the lines that the message names."],
  bad_source: ["A source could not be read.", "Check the address and the permissions that the message names."],
  bad_checkpoint: [
    "A checkpoint of the log of publications is malformed, of another log, or signed by nobody who is trusted.",
    "Fetch it again; when it stays so, do not believe what it vouches for, and ask the operator.",
  ],
  bad_log: [
    "The files of the log of publications do not make the tree that its checkpoint signs.",
    "The operator runs verify, and repair.",
  ],
  gate_refused: [
    "A record or a claim got weaker, or its evidence does not hold, and the configuration refuses that.",
    "Mend it, or accept it by name and with a reason.",
  ],
  build_running: ["Another build holds the lock of this shelf.", "Wait until it ends."],
  build_failed: ["The build stopped; the snapshot served before is untouched.", "Mend what the message names and build again."],
  origin_refused: [
    "A library that was to be copied or audited serves what contradicts its digests, its log, or what was seen of it before.",
    "What was copied before stays. Ask its operator, and others what they have seen.",
  ],
  origin_unreachable: ["A library that was to be copied or audited does not answer, stalls or breaks off.", "Try again later."],
  lost_race: ["Another publisher moved the pointer first.", "Build again on top of it."],
};

export function problemRow(code: ErrorCode) {
  const [status, title] = PROBLEMS[code];
  const [meaning, fix] = EXPLAINED[code];
  return { code, status, title, meaning, fix };
}

export function problemsPage() {
  return { page: "problems" as const, problems: CODES.map(problemRow) };
}

/** searchForm makes the form without results: the stored page, which the browser fills from Pagefind. */
export function searchForm(data: ViewData) {
  return {
    page: "search" as const,
    query: "",
    prefix: "",
    hits: null,
    more: null,
    collections: data.library.collections.map(({ id, prefix, title }) => ({ id, prefix, title })),
    found: 0,
    atLeast: false,
    facets: [],
    didYouMean: null,
    problem: null,
  };
}
