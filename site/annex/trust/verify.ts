/** "Verify this page": loaded when a reader asks for it. From the page's bytes to the signed head of the log of publications, and from there to the
 *  head that this browser saw last; each step is said in words, and so is the one that does not hold. What comes first is believed: the
 *  key, when this browser has not seen one. */
import { isStamped, pageFile, restoreLinks } from "#snapshots/format";
import { shownSnapshot } from "#site";
import { Broken, type Bytes, type Checkpoint, checkSignature, hex, openLog, parseCheckpoint, type ReadFile, sha256 } from "./log-check.ts";

/** A signed head has no more; nor has a list of keys. Bytes. */
const MAX_SMALL = 1024 * 1024;
const BUNDLE = 256;

type Entry = { readonly kind: "blob" | "tree"; readonly name: string; readonly sha256: string };
type Remembered = { readonly checkpoint: string; readonly key: string | null };

const place = document.querySelector<HTMLElement>("[data-verify]");
if (place !== null) void verifyPage(place, new URL(place.dataset["root"] ?? "", location.href), place.dataset["path"] ?? "");

/** @param place filled with what was proved
 *  @param root address of the library's front page, in the snapshot that the page is of
 *  @param path of the page within the library */
async function verifyPage(place: HTMLElement, root: URL, path: string): Promise<void> {
  const list = document.createElement("ol");
  const verdict = document.createElement("p");
  verdict.setAttribute("role", "status");
  verdict.textContent = "Verifying …";
  delete place.dataset["verified"];
  place.replaceChildren(verdict, list);
  const say = (text: string): void => {
    const item = document.createElement("li");
    item.textContent = text;
    list.append(item);
  };
  try {
    verdict.textContent = await check(root, path, say);
    place.dataset["verified"] = "yes";
  } catch (error) {
    const why =
      error instanceof Broken ? error.message : `it could not be looked at (${error instanceof Error ? error.message : String(error)})`;
    verdict.textContent = `Not verified, at step ${list.children.length + 1}: ${why}.`;
    place.dataset["verified"] = "no";
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = "Verify once more";
    again.addEventListener("click", () => void verifyPage(place, root, path));
    place.append(again);
  }
}

/** @returns the verdict */
async function check(root: URL, path: string, say: (text: string) => void): Promise<string> {
  const [, at = null] = /\/at\/([0-9a-f]{64})\/$/.exec(root.pathname) ?? [];
  const top = at === null ? root : new URL("../../", root);
  const shown = at ?? shownSnapshot();
  const page = await fetchPage(shown);
  const read: ReadFile = (file) => fetchBytes(new URL(`shelf/${file}`, top), file);

  const checkpoint = parseCheckpoint(text(await readSmall(read, "checkpoint")));
  const { size } = checkpoint;
  const keys = JSON.parse(text(await readSmall(read, "keys.json"))) as readonly { readonly first: number; readonly key: string | null }[];
  const key = keys.findLast(({ first }) => first <= size)?.key ?? null;
  const memory = remember(top);
  if (memory.seen !== null && memory.seen.key !== key)
    throw new Broken("another key signs the log than the one that this browser has seen");
  if (key !== null) await checkSignature(checkpoint, key);
  say(`The log ${checkpoint.origin} has ${count(size)}${key === null ? "; nobody has signed it" : `, signed by ${key}`}.`);

  const log = openLog(size, read);
  await checkSeen(memory.seen === null ? null : parseCheckpoint(memory.seen.checkpoint), checkpoint, log, say);
  const { index, snapshot } = await findRecord(log, checkpoint, shown);
  say(
    `Snapshot ${index + 1} (${snapshot.slice(0, 12)}…) is entry ${index + 1} of that log${index + 1 === size ? ", the newest" : `; the newest is ${size}`}.`,
  );
  if (!memory.keep({ checkpoint: checkpoint.text, key }))
    say(
      "This browser could not keep that head: it has no room left, or may keep nothing. The next visit cannot tell whether the log went on from it.",
    );

  const made = "The log and the snapshot hold. The page itself is made when it is asked for, so there is no file to hold it against.";
  const file = `pages/${pageFile(path)}`;
  const found = await findFile(read, snapshot, file.split("/"));
  if (found === null) {
    say(`The snapshot has no file ${file}: this page is made from it when it is asked for.`);
    return made;
  }
  say(`${found.trees} trees lead from the snapshot to the file ${file}, ${found.digest.slice(0, 12)}….`);
  const bytes = text(await readBlob(read, found.digest));
  const served = text(new Uint8Array(await page.arrayBuffer()));
  if (isStamped(bytes, served)) say("This page is that file, byte for byte, but for what it says of the history of this library.");
  else if (isStamped(bytes, (await restore(read, snapshot, bytes, served)) ?? ""))
    say(
      "This page is that file, but for the names of objects that browsers run: as in every export each has .txt behind it, or is drawn in the page. Each was compared.",
    );
  else if (location.search !== "") return made;
  else throw new Broken("the bytes of this page are not those of its file");
  return `Verified: this page is a file of snapshot ${index + 1}, which the log has${key === null ? ", though nobody has signed it" : ""}.`;
}

function count(size: number): string {
  return `${size} ${size === 1 ? "entry" : "entries"}`;
}

function text(bytes: Bytes): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function fetchBytes(address: URL, name: string): Promise<Bytes> {
  // A file that a browser has kept may be older than what it has seen since.
  const response = await fetch(address, { cache: /\.bin$|\/tile\//.test(address.pathname) ? "default" : "no-cache" });
  if (!response.ok) throw new Broken(`${name} is not there (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

async function readSmall(read: ReadFile, file: string): Promise<Bytes> {
  const bytes = await read(file);
  if (bytes.length > MAX_SMALL) throw new Broken(`${file} has ${bytes.length} bytes`);
  return bytes;
}

async function readBlob(read: ReadFile, digest: string): Promise<Bytes> {
  const bytes = await read(`blobs/${digest.slice(0, 2)}/${digest}.bin`);
  if (hex(await sha256(bytes)) !== digest) throw new Broken(`the bytes at ${digest.slice(0, 12)}… have another digest`);
  return bytes;
}

/** The log is that of its head, and goes on from the head that was seen last. */
async function checkSeen(
  seen: Checkpoint | null,
  now: Checkpoint,
  log: ReturnType<typeof openLog>,
  say: (text: string) => void,
): Promise<void> {
  if (seen !== null && seen.origin !== now.origin)
    throw new Broken(`this is another log than ${seen.origin}, which this browser has seen here`);
  if (seen !== null && seen.size > now.size) throw new Broken(`it shows an older head than this browser has seen, of ${count(seen.size)}`);
  const { older, all } = await log.roots(seen?.size ?? now.size);
  if (all !== now.root) throw new Broken("the tiles of the log do not make the tree that its checkpoint is over");
  if (seen === null) say("This browser has seen no head of this log before; it remembers this one.");
  else if (older !== seen.root) throw new Broken(`a fork: the log does not begin with the ${count(seen.size)} that this browser has seen`);
  else say(`It goes on from the head that this browser has seen last, of ${count(seen.size)}.`);
}

/** The record of a snapshot, which the tree has; of the newest when none is named. */
async function findRecord(log: ReturnType<typeof openLog>, { size, root }: Checkpoint, id: string | null) {
  for (let bundle = Math.floor((size - 1) / BUNDLE); bundle >= 0; bundle--) {
    const entries = await log.entries(bundle);
    for (let at = entries.length - 1; at >= 0; at--) {
      const entry = entries[at] as Bytes;
      const index = bundle * BUNDLE + at;
      const record = entry.length === 0 ? null : (JSON.parse(text(entry)) as { readonly sequence: number; readonly snapshot: string });
      if (record === null || (id === null ? index !== size - 1 : record.snapshot !== id)) continue;
      if ((await log.rootWith(index, entry)) !== root)
        throw new Broken(`entry ${index + 1} is not in the tree that the checkpoint is over`);
      return { index, snapshot: record.snapshot };
    }
  }
  throw new Broken("the log has no entry of this snapshot");
}

/** Down the trees to a file; null when the last tree has none of its name. */
async function findFile(read: ReadFile, snapshot: string, names: readonly string[]) {
  let digest = snapshot;
  for (const [at, name] of names.entries()) {
    const tree = JSON.parse(text(await readBlob(read, digest))) as readonly Entry[];
    const entry = tree.find((one) => one.name === name && one.kind === (at === names.length - 1 ? "blob" : "tree"));
    if (entry === undefined) return null;
    digest = entry.sha256;
  }
  return { digest, trees: names.length };
}

/** restore puts back what an export changes in a page; null where something else was changed. */
function restore(read: ReadFile, snapshot: string, bytes: string, served: string): Promise<string | null> {
  const find = (key: string) => findFile(read, snapshot, ["objects", ...key.split("/")]);
  return restoreLinks(
    bytes,
    served,
    { has: async (key) => (await find(key)) !== null },
    async (key, picture) => (await find(key))?.digest === hex(await sha256(picture)),
  );
}

/** fetchPage fetches the page on the screen once more, as the browser has it.
 *  @throws Broken when it comes from another snapshot by now: what would be compared is not what is read */
async function fetchPage(shown: string | null): Promise<Response> {
  const page = await fetch(new URL(location.pathname + location.search, location.href));
  if (!page.ok && page.status !== 404) throw new Broken(`the page did not come once more (${page.status}); load it again later`);
  const sent = page.headers.get("x-snapshot");
  if (shown !== null && sent !== null && sent !== shown)
    throw new Broken(
      "this page has changed since it was opened, and is now of another snapshot; load it again, or verify its permanent link",
    );
  return page;
}

/** remember reads what this browser has seen of a library: nothing where it may keep nothing. `keep` says whether it was kept. */
function remember(top: URL): { readonly seen: Remembered | null; keep(seen: Remembered): boolean } {
  const name = `log of ${top.pathname}`;
  const orElse = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };
  const kept = orElse(() => localStorage.getItem(name), null);
  return {
    seen: kept === null ? null : (JSON.parse(kept) as Remembered),
    keep: (seen) =>
      orElse(() => {
        localStorage.setItem(name, JSON.stringify(seen));
        return true;
      }, false),
  };
}
