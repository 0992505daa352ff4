/** An origin with a sound log over one snapshot of whatever trees somebody gives it, for tests of what a copy takes from it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { canonicalJson, type Sha256, sha256 } from "../../../snapshots/digest.ts";
import { extendLog } from "../../../snapshots/shelf/log.ts";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";

/** @param flood whether the answer goes on for ever behind the bytes */
type Answer = { readonly bytes: Uint8Array; readonly flood?: boolean };

/** entry returns one entry of a tree, as it would be written; nothing is checked. */
export function entry(name: string, digest: Sha256, size: number, type = "text/plain"): string {
  return `{"kind":"blob","name":${JSON.stringify(name)},"sha256":"${digest}","size":${size},"type":${JSON.stringify(type)}}`;
}

function folder(name: string, tree: string | Uint8Array, size = Buffer.byteLength(tree)): string {
  return `{"kind":"tree","name":${JSON.stringify(name)},"sha256":"${sha256(tree)}","size":${size}}`;
}

/** serveHostile serves a hostile shelf.
 *  @param dir a new one
 *  @param root the snapshot's root tree
 *  @param answers path → what is answered there in the place of what follows; blobs by their digest */
export async function serveHostile(
  dir: string,
  root: string,
  answers: Readonly<Record<string, Answer>> = {},
): Promise<{ readonly url: string; readonly sent: () => number; close(): Promise<void> }> {
  const shelf = openDirectoryShelf(join(dir, "public"));
  const record = { sequence: 1, snapshot: sha256(root), created: "2026-01-01T00:00:00Z", previous: null, inputs: {} };
  const none = { objects: [], claims: [], records: [] };
  await shelf.blobs.put(record.snapshot, Buffer.from(root));
  await shelf.history.putRecord(record, { added: none, changed: none, removed: none });
  await extendLog(shelf, record, { origin: "hostile.example/shelf", key: null });
  await shelf.history.swapPointer(record, null);
  let sent = 0;
  const find = async (path: string): Promise<Answer | null> => {
    const digest = /^\/shelf\/blobs\/..\/([0-9a-f]{64})\.bin$/.exec(path)?.[1];
    const given = answers[digest ?? path];
    if (given !== undefined) return given;
    if (path === "/shelf/snapshots.json") return { bytes: Buffer.from("[1]") };
    if (path === "/shelf/current.json") return { bytes: Buffer.from(canonicalJson(record)) };
    const bytes =
      digest !== undefined
        ? await shelf.getBlob(digest)
        : await shelf.log.read(path.replace("/shelf/", "").replace(/^checkpoint$/, "checkpoints/1"));
    return bytes === null ? null : { bytes };
  };
  const flood = (response: ServerResponse): void => {
    const more = Buffer.alloc(64 * 1024);
    const go = (): void => {
      do sent += more.length;
      while (!response.destroyed && response.write(more));
    };
    response.on("drain", go);
    go();
  };
  const server = createServer((request, response) => {
    void find(request.url ?? "/")
      .catch(() => null)
      .then((answer) => {
        response.writeHead(answer === null ? 404 : 200);
        if (answer === null) return response.end();
        sent += answer.bytes.length;
        if (answer.flood !== true) return response.end(answer.bytes);
        response.write(answer.bytes);
        return flood(response);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Attack = { readonly name: string; readonly root: string; readonly answers: Readonly<Record<string, Answer>>; readonly said: RegExp };

const LONG = "f".repeat(64);

/** attacks lists what an origin may do to fill memory or the disk.
 *  @param many entries and numbers */
export function attacks(many: number): readonly Attack[] {
  const wide = `[${Array.from({ length: many }, (_, at) => entry(`${String(at).padStart(9, "0")}.md`, sha256(String(at)), 9)).join(",")}]`;
  const plain = `[${folder("objects", "[]")}]`;
  return [
    {
      name: "a file of a petabyte that never ends",
      root: `[${entry("a.txt", LONG, 2 ** 50)}]`,
      answers: { [LONG]: { bytes: Buffer.alloc(0), flood: true } },
      said: /more than the \d+ bytes that one run may fetch/,
    },
    {
      name: "a folder of a petabyte",
      root: `[{"kind":"tree","name":"objects","sha256":"${LONG}","size":${2 ** 50}}]`,
      answers: { [LONG]: { bytes: Buffer.alloc(0), flood: true } },
      said: /tree f+ is longer than the \d+ bytes/,
    },
    {
      name: "a folder of very many files, none of which is there",
      root: `[${folder("objects", wide)}]`,
      answers: { [sha256(wide)]: { bytes: Buffer.from(wide) } },
      said: /is missing|is longer than the/,
    },
    {
      name: "a root that goes on",
      root: plain,
      answers: { [sha256(plain)]: { bytes: Buffer.from(plain), flood: true } },
      said: /goes on beyond/,
    },
    {
      name: "very many numbers of snapshots",
      root: plain,
      answers: { "/shelf/snapshots.json": { bytes: Buffer.from(`[${Array.from({ length: many }, (_, at) => at + 1).join(",")}]`) } },
      said: /snapshots\.json goes on beyond/,
    },
    {
      name: "very many withdrawals that are none",
      root: plain,
      answers: { "/shelf/withdrawn.json": { bytes: Buffer.from(`[${"1,".repeat(many)}1]`) } },
      said: /withdrawn\.json (goes on beyond|is not what)/,
    },
    {
      name: "a media type that would end a header",
      root: `[${entry("a.txt", LONG, 1, "text/plain\r\nSet-Cookie: a=b")}]`,
      answers: {},
      said: /A tree has a malformed entry/,
    },
  ];
}
