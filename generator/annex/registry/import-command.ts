/** `proofshelf registry import`: a table as an overlay. */
import { countOf } from "#snapshots/format";
import { existsSync, readFileSync } from "node:fs";
import { parse as parseCsv } from "csv-parse/sync";
import { stringify } from "yaml";
import { ShelfError } from "#snapshots/errors";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { print } from "#generator/commands";
import type { SourceOptions } from "./open-sources.ts";
import { checkOverlay, exactPattern, overlayJsonSchema } from "./overlay.ts";

/** runRegistryImport makes an overlay of a table. Columns are members of records; id, or repo, module and name, say of which. */
export function runRegistryImport(options: SourceOptions & { readonly csv: string; readonly out?: string }): void {
  let rows: Record<string, string>[];
  try {
    rows = parseCsv(readFileSync(options.csv), {
      columns: true,
      delimiter: [",", ";", "\t"],
      bom: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch (cause) {
    throw new ShelfError("bad_config", `${options.csv}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const types = (overlayJsonSchema as unknown as { properties: { records: { items: { properties: Record<string, { type?: string }> } } } })
    .properties.records.items.properties;
  const records = rows.map((row) => {
    const { id, repo = "*", module = "*", name, theorem_name = name, name: _, ...members } = row;
    const said = Object.entries(members).filter(([, value]) => value !== "");
    return {
      ...(id === undefined || id === "" ? { match: [repo, module, theorem_name].map(partOf).join("/") } : { ids: [id] }),
      ...Object.fromEntries(said.map(([member, value]) => [member, valueOf(value, types[member]?.type)])),
    };
  });
  const nameless = records.findIndex((record) => "match" in record && record.match === "*/*/*");
  if (nameless >= 0)
    throw new ShelfError("bad_config", `${options.csv}: row ${nameless + 1} says of no record; name columns id, or repo, module and name.`);
  const text = stringify({ records });
  const target = options.out ?? "registry.overlay.yaml";
  if (existsSync(target)) throw new ShelfError("bad_config", `${target} is there already; it was left as it is. Name another with --out.`);
  checkOverlay(options.csv, text);
  writeWhole(target, text, { modes: OPEN });
  print(options, { file: target, records: records.length }, `Wrote ${target}: ${countOf(records.length, "entry", "entries")}.\n`);
}

/** partOf writes one part of a pattern: an empty cell stands for anything, all else for itself. */
function partOf(text: string | undefined): string {
  return text === undefined || text === "" || text === "*" ? "*" : exactPattern(text);
}

function valueOf(value: string, type: string | undefined): unknown {
  if (type === "boolean") return /^(?:true|yes|1)$/i.test(value) ? true : /^(?:false|no|0)$/i.test(value) ? false : value;
  return type === "array" ? value.split(";").map((part) => part.trim()) : value;
}
