/** Proofs that an entry is in a log, as one text (https://c2sp.org/tlog-proof):
 *
 *      c2sp.org/tlog-proof@v1
 *      extra <base64>                what nobody has signed, and what the entry is made of
 *      index <place of the entry, from 0>
 *      <hash, base64>                from the leaf's sibling up to the root's child, a line each
 *
 *      <the checkpoint>
 *
 *  Whoever sent it controls all of it. */
import { decodeBase64 } from "./note.ts";
import type { Hash } from "./tree.ts";

const FIRST = "c2sp.org/tlog-proof@v1";

export type TlogProof = {
  readonly extra: Uint8Array | null;
  readonly index: number;
  readonly hashes: readonly Hash[];
  /** As it was published, with its signatures. */
  readonly checkpoint: string;
};

export function formatTlogProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  return [
    FIRST,
    ...(extra === null ? [] : [`extra ${Buffer.from(extra).toString("base64")}`]),
    `index ${index}`,
    ...hashes.map((hash) => hash.toString("base64")),
    "",
    checkpoint,
  ].join("\n");
}

/** parseTlogProof reads a proof; null for whatever is none. No hash and no signature is checked. */
export function parseTlogProof(text: string): TlogProof | null {
  const end = text.indexOf("\n\n");
  if (end < 0 || !text.startsWith(`${FIRST}\n`)) return null;
  const lines = text.slice(FIRST.length + 1, end).split("\n");
  const extra = lines[0]?.startsWith("extra ") === true ? decodeBase64(lines.shift()?.slice("extra ".length) ?? "") : undefined;
  const [, digits] = /^index (0|[1-9][0-9]{0,15})$/.exec(lines.shift() ?? "") ?? [];
  const hashes = lines.map((line) => decodeBase64(line));
  if (extra === null || digits === undefined || !hashes.every((hash): hash is Buffer => hash?.length === 32)) return null;
  return { extra: extra ?? null, index: Number(digits), hashes, checkpoint: text.slice(end + 2) };
}
