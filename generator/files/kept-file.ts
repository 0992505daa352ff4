/** Keeps a value for the next build, and for this one on other machines, in a file behind its own digest. generator/README.md says which kept
 *  thing decides what is made again. */
import { readFileSync, rmSync } from "node:fs";
import type { z } from "zod";
import { canonicalJson, parseJson } from "#snapshots/digest";
import { writeWhole } from "#snapshots/shelf";
import { seal, unseal } from "./sealed.ts";

export type KeptFile<T> = {
  /** Null when there is none, or when it is not exactly what was written. */
  read(): T | null;
  /** Touches nothing when it holds the value already. */
  write(value: T): void;
  remove(): void;
};

/** keptFile opens a file for values of one schema; it touches nothing yet. */
export function keptFile<T>(schema: z.ZodType<T>, path: string): KeptFile<T> {
  return {
    read() {
      const json = unseal(readOrNothing(path));
      return json === null ? null : (schema.safeParse(parseJson(new TextDecoder().decode(json))).data ?? null);
    },
    write(value) {
      const bytes = seal(Buffer.from(canonicalJson(value)));
      if (Buffer.compare(bytes, readOrNothing(path)) !== 0) writeWhole(path, bytes);
    },
    remove: () => rmSync(path, { force: true }),
  };
}

function readOrNothing(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    return new Uint8Array();
  }
}
