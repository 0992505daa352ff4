import type { Snapshot } from "#snapshots/shelf";

/** objectBytes reads an object's bytes. @throws Error when the snapshot has no such object */
export async function objectBytes(snapshot: Snapshot, key: string): Promise<Uint8Array> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") throw new Error("the object is missing");
  return new Uint8Array(await snapshot.read(entry));
}
