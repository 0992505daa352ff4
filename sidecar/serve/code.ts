/** GET /api/code/{repo}/{head}/{path}: bytes of an exact revision, sent only when they are what the record says.
 *
 *  The order is the rule (interface §4): the gate has decided before this is called; then validate, look up, read, compare
 *  the digest, and only then answer. What is sent is what was compared: every part of a long file, just before it leaves. */
import { create as formatDisposition } from "content-disposition";
import { type CodeRef, collect, memoize, parseCodeRef, type ViewData } from "#snapshots/format";
import { type CodeStore, readChecked, WrongBytes } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import type { Answer } from "#snapshots/http";
import { EFFECT_ROWS } from "#snapshots/routes";

const FOLDER = EFFECT_ROWS.code.path.split("{")[0] ?? "";

type CodeParts = {
  readonly store: CodeStore | null;
  /** Records of the snapshot served now; null before the first. */
  records(): Promise<ViewData | null>;
};

/** codeAnswer answers with a file that a record pins.
 *  @param path raw URL path, still percent-encoded; the caller controls it
 *  @throws ShelfError "bad_code_path", "code_not_found", "code_store_unavailable", "code_digest_mismatch", "registry_unavailable" */
export async function codeAnswer(parts: CodeParts, method: string, path: string): Promise<Answer> {
  const ref = parseCodePath(path);
  const data = await parts.records();
  if (data === null) throw new ShelfError("registry_unavailable", "No snapshot has been published, so no file is recorded.");
  const pinned = pinsOf(data.code).get(nameOf(ref));
  if (pinned?.[0] === undefined) {
    throw new ShelfError("code_not_found", "No record pins a file with this repository, revision and path.", {
      fixes: ["Use an href of GET /api/cubs/{id}/code."],
    });
  }
  if (parts.store === null) throw new ShelfError("code_store_unavailable", "No exact-revision store is configured.");
  const file = await parts.store.open(ref);
  if (file === null) throw new ShelfError("code_not_found", "The exact-revision store does not have this file.");
  let digest = "";
  const body = await readChecked(
    file,
    (found) => {
      digest = found;
      return pinned.some(({ sha256 }) => sha256 === found);
    },
    0,
    file.size - 1,
  ).catch((cause: unknown) => {
    if (!(cause instanceof WrongBytes))
      throw new ShelfError("code_store_unavailable", "The exact-revision store cannot be read.", { cause });
    throw new ShelfError("code_digest_mismatch", "The stored file is not the one that was recorded, so it is not sent.", {
      cause,
      fixes: ["Tell the operator: the exact-revision store and the registry disagree about this file."],
    });
  });
  const bodiless = method === "HEAD";
  if (bodiless && !(body instanceof Uint8Array)) await body.return?.();
  return {
    status: 200,
    headers: {
      "Content-Type": pinned[0].media_type,
      "Content-Length": String(file.size),
      "X-CUB-Sha256": digest,
      "Repr-Digest": `sha-256=:${Buffer.from(digest, "hex").toString("base64")}:`,
      "Content-Disposition": formatDisposition(ref.path.slice(ref.path.lastIndexOf("/") + 1), { type: "attachment" }),
      "Content-Security-Policy": "sandbox",
      "X-Content-Type-Options": "nosniff",
    },
    body: bodiless ? null : body,
  };
}

/** Each part is decoded once, after the path has been cut: an encoded slash stays inside its part, where it is refused. */
function parseCodePath(path: string): CodeRef {
  const [repo = "", head = "", ...rest] = path.slice(FOLDER.length).split("/");
  let parts: string[];
  try {
    parts = [repo, head, ...rest].map(decodeURIComponent);
  } catch (cause) {
    throw new ShelfError("bad_code_path", "The path is not percent-encoded UTF-8.", { cause });
  }
  if (parts.some((part) => part.includes("/"))) throw new ShelfError("bad_code_path", "A part of the path holds an encoded slash.");
  return parseCodeRef(parts[0] ?? "", parts[1] ?? "", parts.slice(2).join("/"));
}

/** The words of a snapshot's records about each file. Two records may pin one path with two digests; either is recorded. */
const pinsOf = memoize((code: ViewData["code"]) =>
  collect(
    [...code.values()].flatMap(({ repo, head, files }) => files.map((file) => [nameOf({ repo, head, path: file.path }), file] as const)),
  ),
);

function nameOf({ repo, head, path }: CodeRef): string {
  return `${repo}/${head}/${path}`;
}
