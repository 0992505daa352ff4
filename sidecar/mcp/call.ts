/** One tool call: arguments in, a result within the budget out. Nothing here knows what a tool does. */
import { absoluteHref, cutText, toShelfError, type ViewData } from "#snapshots/format";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { ShelfError } from "#snapshots/errors";
import { MAX_RESULT_BYTES, type ToolInfo } from "#snapshots/tools";
import { openContext, ORIGIN, type Tool } from "./tools/context.ts";
import { tooLarge } from "./tools/fit.ts";
import type { View } from "#snapshots/http";
import { parseArguments } from "./arguments.ts";

const ENVELOPE_BYTES = 1536; // without ids, host and notices, by which the arguments make it longer
const MAX_ERROR = 2000;

/** callTool calls a tool and never throws: what is wrong is told as a tool's error, and what nobody foresaw goes to `onError` too. */
export async function callTool(
  view: View,
  info: ToolInfo,
  tool: Tool,
  given: unknown,
  onError: (error: unknown) => void,
): Promise<CallToolResult> {
  try {
    const { args, notices } = parseArguments(info, given);
    // An address repeats the arguments, percent-encoded at worst.
    const echoed = 3 * Buffer.byteLength(JSON.stringify(args));
    const context = await openContext(view, MAX_RESULT_BYTES - ENVELOPE_BYTES - echoed);
    const found = await tool(context, args);
    const all = [...notices, ...found.notices];
    const structured = {
      snapshot: found.snapshot,
      href: absoluteHref(context.data, found.path, found.pinned ? found.snapshot : null),
      truncated: found.truncated,
      ...(found.next === null ? {} : { next_cursor: found.next }),
      ...(all.length === 0 ? {} : { notices: all }),
      origin: ORIGIN,
      result: found.result,
    };
    const next = view.options.runtime.nextBuild?.() ?? null;
    const text = JSON.stringify(structured);
    if (Buffer.byteLength(text) > MAX_RESULT_BYTES) throw tooLarge();
    const meta = next === null ? {} : { _meta: { "proofshelf/next_build": next } };
    return { content: [{ type: "text", text }], structuredContent: structured, ...meta };
  } catch (thrown) {
    const error = toShelfError(thrown);
    if (error.code === "internal") onError(error.cause);
    const data = await openContext(view, 0).then(
      (context) => context.data,
      () => null,
    );
    return { content: [{ type: "text", text: errorText(info, error, data) }], isError: true };
  }
}

/** errorText says what was wrong, what would be right, and an example of this library: for a model that tries again. */
function errorText(info: ToolInfo, error: ShelfError, data: ViewData | null): string {
  const example = error.status < 500 && data !== null ? exampleOf(info, data) : null;
  const lines = [
    `${error.code}: ${error.message}`,
    ...error.errors.map(({ pointer, detail }) => `- ${pointer}: ${detail}`),
    ...error.fixes.map((fix) => `Try: ${fix}`),
    ...(example === null ? [] : [`Example: ${info.name} ${JSON.stringify(example)}`]),
  ];
  return cutText(lines.join("\n"), MAX_ERROR);
}

/** exampleOf gives the tool's example with a key or an id of this library, null where it has nothing of the kind. No title stands in it, and no
 *  key that could be a sentence: an example is followed. */
function exampleOf({ name, example }: ToolInfo, { objects, claims, cubs, library }: ViewData): Readonly<Record<string, unknown>> | null {
  const isPlain = (text: string): boolean => /^[\w./-]{1,100}$/.test(text);
  const object = objects.find(({ key }) => isPlain(key) && /\.(?:md|txt)$/.test(key)) ?? objects.find(({ key }) => isPlain(key));
  const named: Readonly<Record<string, unknown>> = {
    key: object?.key,
    sha256: objects[0]?.sha256,
    prefix: library.collections.map(({ prefix }) => prefix).find(isPlain),
    id: name === "get_claim" ? claims.claims.map(({ id }) => id).find(isPlain) : cubs[0]?.id,
  };
  const own = Object.entries(example).map(([argument, value]) => [argument, Object.hasOwn(named, argument) ? named[argument] : value]);
  return own.some(([, value]) => value === undefined) ? null : (Object.fromEntries(own) as Record<string, unknown>);
}
