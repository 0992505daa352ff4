/** Signed notes: a text with lines of signatures under it, as C2SP signed-note (https://c2sp.org/signed-note) has it, and its keys in the
 *  form that golang.org/x/mod/sumdb/note writes: `<name>+<key id>+<base64>` the public one, `PRIVATE+KEY+<name>+<key id>+<base64>` the
 *  private one. Signatures are Ed25519: of the text itself (type 1), or the timestamped cosignature of a witness (type 4,
 *  https://c2sp.org/tlog-cosignature). Whoever sent a note controls all of it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, sign, verify } from "node:crypto";
import { ShelfError } from "#snapshots/errors";

/** As many as signed-note asks verifiers to accept; more is somebody making work. */
const MAX_SIGNATURES = 16;
/** MAX_NOTE_BYTES has room for sixteen post-quantum signatures of 5 kB in base64, and a text. */
export const MAX_NOTE_BYTES = 128 * 1024;

const TYPES = [1, 4] as const;
type SignatureType = (typeof TYPES)[number];

export type NoteKey = {
  readonly name: string;
  /** The key id: eight hex digits. */
  readonly id: string;
  readonly type: SignatureType;
  /** As it was written. */
  readonly text: string;
  readonly key: KeyObject;
};
export type SigningKey = NoteKey & { readonly privateKey: KeyObject };

type NoteSignature = { readonly name: string; readonly id: string; readonly bytes: Buffer; readonly line: string };
export type Note = {
  /** Ends in a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
};

const KEY_NAME = /^[^\s+\p{White_Space}\p{Cc}]+$/u;
/** DER of a PKCS #8 Ed25519 private key, before its 32 bytes (RFC 8410). */
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
/** Control characters but the newline, and what stands for bytes that were no UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: signed-note forbids exactly these
const FORBIDDEN = /[\u0000-\u0009\u000b-\u001f]/;

function refused(what: string): ShelfError {
  return new ShelfError("bad_checkpoint", what);
}

/** decodeBase64 gives the bytes of standard base64, padded; null for anything else that decoders put up with. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

function keyId(name: string, type: number, publicKey: Uint8Array): string {
  return hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), Uint8Array.of(type), publicKey]), "hex").slice(0, 8);
}

function formatKey(name: string, type: SignatureType, publicKey: Buffer): string {
  return `${name}+${keyId(name, type, publicKey)}+${Buffer.concat([Uint8Array.of(type), publicKey]).toString("base64")}`;
}

function rawPublic(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}

/** The three parts of a key's text; the last may hold more plus signs. */
function splitKey(text: string): readonly [name: string, id: string, bytes: Buffer] | null {
  const [, name = "", id = "", data = ""] = /^([^+]+)\+([0-9a-fA-F]{8})\+(.+)$/.exec(text) ?? [];
  const bytes = decodeBase64(data);
  return KEY_NAME.test(name) && bytes?.length === 33 ? [name, id.toLowerCase(), bytes] : null;
}

/** parseKey reads the public key of a note. @throws ShelfError "bad_checkpoint" for what is no Ed25519 key of a note */
export function parseKey(text: string): NoteKey {
  const [name, id, bytes] = splitKey(text) ?? [];
  const type = TYPES.find((one) => one === bytes?.[0]);
  if (name === undefined || id === undefined || bytes === undefined || type === undefined)
    throw refused("is no public key of a signed note; write what `proofshelf keygen` printed, NAME+ID+BASE64");
  const raw = bytes.subarray(1);
  if (keyId(name, type, raw) !== id) throw refused("is no public key of a signed note: its id does not fit its name and its bytes");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw.toString("base64url") }, format: "jwk" });
  return { name, id, type, text, key };
}

/** parseSigningKey reads a private key. @param variable where the operator has written it: what is wrong is said of that
 *  @throws ShelfError "bad_checkpoint", or "bad_config" of a variable, without a word of the key */
export function parseSigningKey(text: string, variable?: string): SigningKey {
  const refuse = (why: string): ShelfError =>
    variable === undefined ? refused(`is ${why}`) : new ShelfError("bad_config", `${variable} is ${why}`);
  const [name, id, bytes] = splitKey(text.trim().replace(/^PRIVATE\+KEY\+/, "")) ?? [];
  if (!text.trim().startsWith("PRIVATE+KEY+") || name === undefined || bytes?.[0] !== 1)
    throw refuse("no private key of a signed note; make one with `proofshelf keygen`, PRIVATE+KEY+NAME+ID+BASE64");
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, bytes.subarray(1)]), format: "der", type: "pkcs8" });
  const key = parseKey(formatKey(name, 1, rawPublic(createPublicKey(privateKey))));
  if (key.id !== id) throw refuse("no private key of a signed note: its id does not fit its name and its bytes");
  return { ...key, privateKey };
}

/** generateKey makes a pair of keys. @throws ShelfError "bad_checkpoint" for a name that a note cannot hold */
export function generateKey(name: string): { readonly publicKey: string; readonly privateKey: string } {
  if (!KEY_NAME.test(name)) throw refused("A key's name has no space and no plus sign; write one like library.example.org/shelf");
  const pair = generateKeyPairSync("ed25519");
  const publicKey = formatKey(name, 1, rawPublic(pair.publicKey));
  const seed = Buffer.from(pair.privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  const id = publicKey.slice(name.length + 1, name.length + 9);
  return { publicKey, privateKey: `PRIVATE+KEY+${name}+${id}+${Buffer.concat([Uint8Array.of(1), seed]).toString("base64")}` };
}

/** parseNote reads a signed note. @throws ShelfError "bad_checkpoint" naming what is wrong with its form */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MAX_NOTE_BYTES) throw refused(`The note has ${bytes.length} bytes; ${MAX_NOTE_BYTES} are read.`);
  let whole: string;
  try {
    whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused("The note is not UTF-8.");
  }
  if (FORBIDDEN.test(whole)) throw refused("The note has a control character in it.");
  const split = whole.lastIndexOf("\n\n");
  if (split < 0 || !whole.endsWith("\n")) throw refused("The note has no line of signatures under an empty line.");
  const lines = whole.slice(split + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) throw refused(`The note has ${lines.length} signatures; ${MAX_SIGNATURES} are read.`);
  return { text: whole.slice(0, split + 1), signatures: lines.map(parseSignature) };
}

/** parseBareNote reads a note, or its text alone where nobody has signed it. @throws ShelfError "bad_checkpoint" */
export function parseBareNote(bytes: Uint8Array): Note {
  if (Buffer.from(bytes).includes("\n\n")) return parseNote(bytes);
  return { text: parseNote(Buffer.concat([bytes, Buffer.from(`\n${PLACEHOLDER}\n`)])).text, signatures: [] };
}
/** Takes the place of the signature that an unsigned note lacks, so that its text is read by the same rules. */
const PLACEHOLDER = "\u2014 nobody AAAAAAA=";

function parseSignature(line: string): NoteSignature {
  const [, name = "", base64 = ""] = /^\u2014 (\S+) (\S+)$/u.exec(line) ?? [];
  const bytes = decodeBase64(base64);
  if (!KEY_NAME.test(name) || bytes === null || bytes.length < 5) throw refused("The note has a line of signatures that is none.");
  return { name, id: bytes.toString("hex", 0, 4), bytes: bytes.subarray(4), line };
}

export function formatNote({
  text,
  signatures,
}: {
  readonly text: string;
  readonly signatures: readonly { readonly line: string }[];
}): string {
  return `${text}\n${signatures.map(({ line }) => `${line}\n`).join("")}`;
}

/** signNote signs a text. @param text ends in a newline. @returns the line of the signature */
export function signNote(text: string, { name, id, privateKey }: SigningKey): { readonly line: string } {
  const bytes = Buffer.concat([Buffer.from(id, "hex"), sign(null, Buffer.from(text), privateKey)]);
  return { line: `\u2014 ${name} ${bytes.toString("base64")}` };
}

/** verifiedBy finds those of `keys` that signed the note. Signatures of others are ignored, as signed-note wants it.
 *  @throws ShelfError "bad_checkpoint" when one of `keys` is named and did not sign this */
export function verifiedBy({ text, signatures }: Note, keys: readonly NoteKey[]): readonly NoteKey[] {
  const found = new Set<NoteKey>();
  for (const { name, id, bytes } of signatures) {
    const known = keys.find((key) => key.name === name && key.id === id);
    if (known === undefined) continue;
    if (!isSignature(known, text, bytes)) throw refused(`The signature of ${name} (${id}) is not of this text.`);
    found.add(known);
  }
  return [...found];
}

function isSignature({ type, key }: NoteKey, text: string, bytes: Buffer): boolean {
  if (type === 1) return bytes.length === 64 && verify(null, Buffer.from(text), key, bytes);
  if (bytes.length !== 72) return false;
  const message = `cosignature/v1\ntime ${bytes.readBigUInt64BE(0)}\n${text}`;
  return verify(null, Buffer.from(message), key, bytes.subarray(8));
}
