/** Requests to be let in: a file of lines that only grows, so that the sidecar, which takes them, and the command, which decides them, need
 *  no lock. Nothing is decided by it: who is let in stands in the configuration. */
import { appendFileSync, readFileSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../../digest.ts";

const DECISIONS = ["granted", "refused"] as const;
export type Decision = (typeof DECISIONS)[number];

const Asked = z.object({ id: z.uuid(), at: z.iso.datetime(), email: z.string(), reason: z.string() });
const Decided = z.object({ id: z.uuid(), at: z.iso.datetime(), state: z.enum(DECISIONS), note: z.string() });
type AskedLine = z.infer<typeof Asked>;
type Line = AskedLine | z.infer<typeof Decided>;

export type AccessRequest = AskedLine & { readonly state: "waiting" | Decision; readonly note: string };

/** AppendLine writes one line at once: both writers may do so at the same time. Only its owner reads the file. */
export function appendLine(file: string, line: Line): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** ReadRequests gives every request with the last decision on it, oldest first; [] when there is no file. A line that is damaged says nothing. */
export function readRequests(file: string): readonly AccessRequest[] {
  const found = new Map<string, AccessRequest>();
  for (const text of readText(file).split("\n")) {
    const value = parseJson(text);
    const asked = Asked.safeParse(value).data;
    if (asked !== undefined && !found.has(asked.id)) found.set(asked.id, { ...asked, state: "waiting", note: "" });
    const decided = Decided.safeParse(value).data;
    const known = decided === undefined ? undefined : found.get(decided.id);
    if (decided !== undefined && known !== undefined) found.set(known.id, { ...known, state: decided.state, note: decided.note });
  }
  return [...found.values()];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
