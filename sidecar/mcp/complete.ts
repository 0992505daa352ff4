/** Completion of ids and keys for prompts and resource templates. */
import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import { prefixRange, type ViewData } from "../../snapshots/format/view-data.ts";

const MAX_VALUES = 100;

export function complete(data: ViewData, { ref, argument }: CompleteRequest["params"]): CompleteResult {
  const { name, value } = argument;
  const source = ref.type === "ref/prompt" ? ref.name : ref.uri;
  if (name === "prefix")
    return values(data.library.collections.map((collection) => collection.prefix).filter((prefix) => prefix.startsWith(value)));
  if (name === "key") {
    const [from, to] = prefixRange(data.objects, value);
    return values(
      data.objects.slice(from, Math.min(to, from + MAX_VALUES)).map(({ key }) => key),
      to - from,
    );
  }
  if (name !== "id") return values([]);
  const ids = /claim/.test(source) ? data.claims.claims.map(({ id }) => id) : data.cubs.map(({ id }) => id);
  return values(ids.filter((id) => id.toLowerCase().startsWith(value.toLowerCase())));
}

function values(all: readonly string[], total = all.length): CompleteResult {
  return { completion: { values: all.slice(0, MAX_VALUES), total, hasMore: total > MAX_VALUES } };
}
