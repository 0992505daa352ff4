/** The one error class that crosses a folder, and the one table from its codes to HTTP.
 *  conventions "Errors and headers": RFC 9457 bodies, `code` from a closed set, `type` a page under /problems/. */

type Row = readonly [status: number, title: string];

/** PROBLEMS gives the status and the title of each code. The page /problems/<code> explains each; adding a line here adds the page. */
export const PROBLEMS = {
  bad_request: [400, "The request is malformed"],
  bad_path: [400, "The path is malformed"],
  bad_prefix: [400, "The prefix is malformed"],
  unknown_parameter: [400, "Unknown query parameter"],
  missing_parameter: [400, "A required query parameter is missing"],
  bad_parameter: [400, "A query parameter has a bad value"],
  bad_cursor: [400, "The cursor is malformed"],
  bad_cub_id: [400, "The CUB id is malformed"],
  bad_json: [400, "The body is not the JSON this route takes"],
  bad_code_path: [400, "The repository, revision or path is malformed"],
  unauthenticated: [401, "Credentials are missing or invalid"],
  forbidden: [403, "This identity is not authorized"],
  bad_origin: [403, "This origin or host is not allowed"],
  not_found: [404, "Nothing is served at this path"],
  collection_not_found: [404, "No such collection"],
  object_not_found: [404, "No such object"],
  cub_not_found: [404, "No such CUB record"],
  claim_not_found: [404, "No such claim"],
  code_not_found: [404, "No such file in the exact-revision store"],
  snapshot_not_found: [404, "No such snapshot is kept"],
  method_not_allowed: [405, "The method is not allowed here"],
  reindex_running: [409, "A reindex is already running"],
  cursor_expired: [410, "The cursor belongs to a snapshot that is no longer kept"],
  snapshot_withdrawn: [410, "The snapshot was taken out of service"],
  withdrawn: [410, "It was withdrawn"],
  precondition_failed: [412, "A precondition of the request does not hold"],
  body_too_large: [413, "The body is over the limit"],
  unsupported_media_type: [415, "The body has the wrong media type"],
  range_not_satisfiable: [416, "The range lies outside the object"],
  rate_limited: [429, "Too many requests"],
  withdrawn_legal: [451, "It was withdrawn for legal reasons"],
  internal: [500, "The server failed"],
  overloaded: [503, "The server has as much to do as it can hold"],
  no_snapshot: [503, "No snapshot has been published yet"],
  snapshot_damaged: [503, "A stored file does not match its digest"],
  registry_unavailable: [503, "The central registry is unavailable"],
  code_store_unavailable: [503, "The exact-revision store is unavailable"],
  code_digest_mismatch: [503, "The stored file failed digest verification"],
  search_unavailable: [503, "The search index is unavailable"],
  keys_unavailable: [503, "The keys that check identities are unavailable"],
  bucket_denied: [503, "The object storage refuses the credentials"],
  bucket_unavailable: [503, "The object storage is unavailable"],
  not_configured: [503, "This part is not configured"],
  // Raised by the generator and the command line; never an HTTP answer, so 500 if one ever got there.
  bad_config: [500, "The configuration is not valid"],
  bad_source: [500, "A source could not be read"],
  build_running: [500, "Another build is running"],
  gate_refused: [500, "The build would publish something weaker"],
  build_failed: [500, "The build failed"],
  bad_checkpoint: [500, "A checkpoint of the log is malformed, or nobody who is trusted signed it"],
  bad_log: [500, "The log of publications contradicts itself"],
  origin_refused: [500, "A shelf elsewhere is not what it says that it is"],
  origin_unreachable: [500, "A shelf elsewhere cannot be read"],
  lost_race: [500, "Another publisher moved the pointer first"],
} as const satisfies Record<string, Row>;

export type ErrorCode = keyof typeof PROBLEMS;

export const CODES = Object.keys(PROBLEMS) as readonly ErrorCode[];

export type ErrorDetail = { readonly pointer: string; readonly detail: string };

export type ShelfErrorOptions = {
  readonly cause?: unknown;
  /** RFC 6901 pointer, or the name of the query parameter, with what is wrong there. */
  readonly errors?: readonly ErrorDetail[];
  /** Remedies for the caller, shown as they stand. */
  readonly fixes?: readonly string[];
  /** Headers that HTTP wants beside the body: Allow, Content-Range, Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the problem besides (RFC 9457 section 3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
};

/** A ShelfError is a failure with a stable code. `message` is shown to callers: no path of the machine, no secret in it. */
export class ShelfError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly ErrorDetail[];
  readonly fixes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ShelfErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "ShelfError";
    this.code = code;
    this.errors = options.errors ?? [];
    this.fixes = options.fixes ?? [];
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }

  get title(): string {
    return PROBLEMS[this.code][1];
  }
}
