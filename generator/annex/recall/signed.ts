/** Files of other people, which count as far as somebody signed them: https://c2sp.org/signed-note */
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type NoteKey, parseBareNote, verifiedBy } from "#snapshots/log";
import { readConfigFile } from "#generator/config";
import { pullUrl } from "#generator/sources";

/** Tells whether a file is a signed note, by its name. */
function isNote(file: string): boolean {
  return withoutPin(file).endsWith(".note");
}

const PIN = /#sha256=([0-9a-f]{64})$/;
const ADDRESS = /^https?:\/\//;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

function withoutPin(list: string): string {
  return list.replace(PIN, "");
}

/** findListProblem says what keeps an address from being believed; null for a file, and for what is pinned or signed. */
export function findListProblem(list: string): string | null {
  if (!ADDRESS.test(list)) return null;
  if (!/^https:|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(list)) return "is an address that is not https";
  return isNote(list) || PIN.test(list)
    ? null
    : "is an address that is neither signed nor pinned; name a signed note, FILE.note, or end it with #sha256= and the digest of its bytes";
}

/** isListAddress tells an address from a file. */
export function isListAddress(list: string): boolean {
  return ADDRESS.test(list);
}

/** fetchLists asks the addresses among lists for their bytes. @throws ShelfError "bad_source" where one gives nothing, or other bytes than are pinned */
export async function fetchLists(lists: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const fetched = new Map<string, Uint8Array>();
  for (const list of lists.filter(isListAddress)) {
    const pulled = await pullUrl(`The list ${list}`, withoutPin(list), null, { maxBytes: MAX_LIST_BYTES, timeoutMs: TIMEOUT_MS });
    const bytes = pulled?.bytes ?? new Uint8Array();
    const [, pin] = PIN.exec(list) ?? [];
    if (pin !== undefined && sha256(bytes) !== pin)
      throw new ShelfError("bad_source", `The list ${list} has other bytes than are pinned: their digest is ${sha256(bytes)}.`);
    fetched.set(list, bytes);
  }
  return fetched;
}

/** openSigned reads the text of a list. That of a note has to be signed by one of the keys.
 *  @throws ShelfError "bad_config" where none of them signed it, "bad_checkpoint" where a signature is not of it */
export function openSigned(
  keys: readonly NoteKey[],
  fetched: ReadonlyMap<string, Uint8Array> = new Map(),
): (file: string, what: string) => Uint8Array {
  return (file, what) => {
    const bytes = fetched.get(file) ?? readConfigFile(file, what);
    if (!isNote(file)) return bytes;
    const note = parseBareNote(bytes);
    const signature = `${file}:${note.text.split("\n").length + 1}`;
    try {
      if (verifiedBy(note, keys).length > 0) return Buffer.from(note.text);
    } catch (error) {
      throw error instanceof ShelfError ? new ShelfError(error.code, `${signature}: ${error.message}`, { cause: error }) : error;
    }
    throw new ShelfError("bad_config", `${signature}: nobody who is trusted here has signed it.`, {
      fixes: ["Add the public key of whoever wrote it to checks.trust of registry.yaml."],
    });
  };
}
