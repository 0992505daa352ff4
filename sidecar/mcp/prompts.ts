/** The prompts of the table over the protocol: arguments checked, ids known. */
import { type GetPromptResult, type ListPromptsResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { CUB_ID_PATTERN } from "../../snapshots/schema/index.ts";
import { PROMPTS } from "../../snapshots/tools/index.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";

const MAX_ARGUMENT = 500;

export function listPrompts(): ListPromptsResult {
  return {
    prompts: PROMPTS.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: args.map((argument) => ({ ...argument })),
    })),
  };
}

/** @throws ProtocolError with invalid params */
export function getPrompt(data: ViewData, name: string, args: Readonly<Record<string, string>> = {}): GetPromptResult {
  const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  const prompt = PROMPTS.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw invalid(`There is no prompt ${JSON.stringify(name.slice(0, 64))}.`);
  for (const { name: argument, required } of prompt.arguments) {
    const value = args[argument];
    if (required && (value === undefined || value.trim() === "")) throw invalid(`The argument ${argument} is missing.`);
    if (value !== undefined && value.length > MAX_ARGUMENT)
      throw invalid(`The argument ${argument} is longer than ${MAX_ARGUMENT} characters.`);
  }
  const id = args["id"] ?? "";
  if (name === "check_claim" && !relationsOf(data).claimById.has(id)) throw invalid("There is no claim with this id.");
  if (name === "compare_proofs" && !(CUB_ID_PATTERN.test(id) && relationsOf(data).recordById.has(id)))
    throw invalid("There is no record with this id; ids look like CUB-0007.");
  return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text: prompt.write(args) } }] };
}
