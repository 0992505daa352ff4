/** Arguments of a tool call: closed, explained when wrong, clamped when out of range. */
import type { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import { cutText } from "#snapshots/format";
import type { ToolInfo } from "#snapshots/tools";
import { explainUnknown } from "#snapshots/routes";

/** JSON of all arguments; UTF-8 bytes. The longest sensible ones are a key of 1,024 bytes or a question of 500 characters. */
const MAX_ARGUMENT_BYTES = 4 * 1024;
const MAX_NAMED = 10;

type ParsedArguments = { readonly args: Readonly<Record<string, unknown>>; readonly notices: readonly string[] };

/** parseArguments reads the arguments of a tool. @throws ShelfError "bad_parameter" with one entry per wrong argument */
export function parseArguments(tool: ToolInfo, given: unknown): ParsedArguments {
  if (Buffer.byteLength(JSON.stringify(given ?? {})) > MAX_ARGUMENT_BYTES) {
    throw new ShelfError("bad_parameter", `The arguments are longer than ${MAX_ARGUMENT_BYTES} bytes.`);
  }
  const parsed = tool.input.safeParse(given ?? {});
  if (!parsed.success) {
    const errors = parsed.error.issues.flatMap((issue) => describe(tool, issue, given)).slice(0, MAX_NAMED);
    throw new ShelfError("bad_parameter", "The arguments are not what this tool takes.", { errors });
  }
  const args: Record<string, unknown> = { ...parsed.data };
  const broken = Object.keys(args).filter((name) =>
    [args[name]].flat().some((value) => typeof value === "string" && !value.isWellFormed()),
  );
  if (broken.length > 0) {
    // Neither a key nor a query can hold half of a surrogate pair, and no digest can be taken of one.
    throw new ShelfError("bad_parameter", "The arguments are not Unicode text.", {
      errors: broken.map((pointer) => ({ pointer, detail: "has half of a surrogate pair" })),
    });
  }
  const notices: string[] = [];
  for (const [name, schema] of Object.entries(tool.input.shape)) {
    const { minimum, maximum, default: byDefault } = (schema as z.ZodType).meta() ?? {};
    if (args[name] === undefined && byDefault !== undefined && name !== "start_line") args[name] = byDefault;
    const value = args[name];
    if (typeof value !== "number" || typeof minimum !== "number" || typeof maximum !== "number") continue;
    const clamped = Math.min(maximum, Math.max(minimum, value));
    if (clamped !== value) notices.push(`${name} ${value} is out of range, ${clamped} was used (${minimum} to ${maximum}).`);
    args[name] = clamped;
  }
  return { args, notices };
}

function describe(tool: ToolInfo, issue: z.core.$ZodIssue, given: unknown): { readonly pointer: string; readonly detail: string }[] {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(tool.input.shape);
    return issue.keys.map((key) => {
      const pointer = cutText(key, 64);
      return { pointer, detail: explainUnknown(pointer, known, "this tool takes no arguments") };
    });
  }
  const pointer = issue.path.join("/");
  if (pointer === "") return [{ pointer: "arguments", detail: "must be an object" }];
  const missing = typeof given === "object" && given !== null && !Object.hasOwn(given, String(issue.path[0]));
  const { description, minimum, maximum } = (tool.input.shape[String(issue.path[0])] as z.ZodType | undefined)?.meta() ?? {};
  const range =
    typeof minimum === "number"
      ? ` (a whole number, ${minimum}${maximum === Number.MAX_SAFE_INTEGER ? " or more" : ` to ${String(maximum)}`})`
      : "";
  return [{ pointer, detail: `${missing ? "is missing" : issue.message}${range}${description === undefined ? "" : `: ${description}`}` }];
}
