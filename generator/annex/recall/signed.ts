/** Files of other people, which count as far as somebody signed them: https://c2sp.org/signed-note */
import { readFileSync } from "node:fs";
import { ShelfError } from "#snapshots/errors";
import { type NoteKey, parseBareNote, verifiedBy } from "#snapshots/log";
import { readConfigFile } from "#generator/config";

/** isNote tells whether a file is a signed note, by its name. */
export function isNote(file: string): boolean {
  return file.endsWith(".note");
}

/** openSigned reads the text of a file. That of a note has to be signed by one of the keys.
 *  @throws ShelfError "bad_config" where none of them signed it, "bad_checkpoint" where a signature is not of it */
export function openSigned(keys: readonly NoteKey[]): (file: string, what: string) => Uint8Array {
  return (file, what) => {
    if (!isNote(file)) return readConfigFile(file, what);
    const note = parseBareNote(readFileSync(file));
    if (verifiedBy(note, keys).length === 0)
      throw new ShelfError("bad_config", `${file}: nobody who is trusted here has signed it.`, {
        fixes: ["Add the public key of whoever wrote it to checks.trust of registry.yaml."],
      });
    return Buffer.from(note.text);
  };
}
