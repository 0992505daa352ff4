/** How a file of the exact-revision store is named: repository, revision, path, one spelling each (interface §4, GET /api/code). */
import { type ErrorDetail, ShelfError } from "#snapshots/errors";

/** CODE_REPO_PATTERN begins with a letter or digit, so that no name is a dot segment or looks like an option. */
export const CODE_REPO_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** CODE_HEAD_PATTERN matches the SHA-1 or SHA-256 of a commit, as git prints it. */
export const CODE_HEAD_PATTERN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const MAX_CODE_PATH_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255; // longer names exist on no common file system

export type CodeRef = { readonly repo: string; readonly head: string; readonly path: string };

/** parseCodeRef checks three percent-decoded parts, all of which the caller controls. @throws ShelfError "bad_code_path" with one entry in
 *  `errors` per bad part */
export function parseCodeRef(repo: string, head: string, path: string): CodeRef {
  const errors: ErrorDetail[] = [];
  if (!CODE_REPO_PATTERN.test(repo)) {
    errors.push({
      pointer: "repo",
      detail: "is not 1 to 100 of letters, digits, dot, hyphen and underscore, beginning with a letter or digit",
    });
  }
  if (!CODE_HEAD_PATTERN.test(head)) errors.push({ pointer: "head", detail: "is not a revision of 40 or 64 lower-case hex digits" });
  const problem = findCodePathProblem(path);
  if (problem !== null) errors.push({ pointer: "path", detail: problem });
  if (errors.length === 0) return { repo, head, path };
  const message = errors.map((error) => `The ${error.pointer} ${error.detail}.`).join(" ");
  throw new ShelfError("bad_code_path", message, { errors, fixes: ["Use an href of GET /api/cubs/{id}/code."] });
}

/** findCodePathProblem tells why a path names no file of the store, whatever the store holds; it returns null when the path may name one. */
export function findCodePathProblem(path: string): string | null {
  if (path === "") return "is empty";
  if (!path.isWellFormed() || path.includes("\ufffd")) return "is not valid UTF-8";
  if (/[\u0000-\u001f\u007f]/.test(path)) return "has a control character";
  if (path.includes("\\")) return "has a backslash";
  if (Buffer.byteLength(path) > MAX_CODE_PATH_BYTES) return `is longer than ${MAX_CODE_PATH_BYTES} bytes`;
  const segments = path.split("/");
  if (segments.includes("")) return "has an empty segment; it is relative, without a slash at either end";
  if (segments.some((segment) => segment === "." || segment === "..")) return "has a dot segment";
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES))
    return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`;
  return null;
}
