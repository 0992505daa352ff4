/** Functions that the checks of a view's files have in common. */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { BlobEntry } from "#snapshots/format";
import type { Snapshot } from "#snapshots/shelf";
import type { Audit } from "./check.ts";
import { reasonOf, type Report } from "./finding.ts";

/** TellFinding reports a finding at a path of the snapshot. */
export type TellFinding = (code: Parameters<Report["add"]>[0], path: string, detail: string) => void;

export function openTell({ report, root }: Audit, snapshot: Snapshot): TellFinding {
  return (code, path, detail) => report.add(code, root, { snapshot: snapshot.id, path }, detail);
}

/** extrasIn returns the paths in a folder that nothing calls for. */
export function extrasIn(files: ReadonlyMap<string, BlobEntry>, folder: string, expected: ReadonlySet<string>): string[] {
  return [...files.keys()].filter((path) => path.startsWith(folder) && !expected.has(path));
}

/** readShaped reads a file of JSON that has to have a shape. @returns its value, or what is wrong with it in words */
export async function readShaped<T>(
  snapshot: Snapshot,
  entry: BlobEntry,
  shape: z.ZodType<T>,
): Promise<{ readonly problem: string } | { readonly problem: null; readonly value: T }> {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await snapshot.read(entry)));
    const parsed = shape.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return { problem: `/${(issue?.path ?? []).map(String).join("/")}: ${issue?.message ?? "wrong shape"}` };
    }
    // A schema drops what it does not name: such a field would be one that never should have come here.
    return isDeepStrictEqual(parsed.data, value)
      ? { problem: null, value: parsed.data }
      : { problem: "It holds a field that the interface does not name, or lacks one that has a default." };
  } catch (error) {
    return { problem: error instanceof SyntaxError || error instanceof TypeError ? "It is not JSON in UTF-8." : reasonOf(error) };
  }
}
