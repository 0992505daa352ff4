/** `proofshelf registry import`: a table as an overlay. */
import { existsSync, readFileSync } from "node:fs";
import { parse as parseCsv } from "csv-parse/sync";
import { stringify } from "yaml";
import { ShelfError } from "../../../snapshots/errors.ts";
import { OPEN } from "../../../snapshots/shelf/modes.ts";
import { writeWhole } from "../../../snapshots/shelf/write-whole.ts";
import { print } from "../../commands/options.ts";
import type { SourceOptions } from "./open-sources.ts";
import { overlayJsonSchema, overlaySchema } from "./overlay.ts";

/** runRegistryImport makes an overlay of a table. Columns are members of records; id, or repo, module and name, say of which. */
export function runRegistryImport(options: SourceOptions & { readonly csv: string; readonly out?: string }): void {
  let rows: Record<string, string>[];
  try {
    rows = parseCsv(readFileSync(options.csv), { columns: true, bom: true, skip_empty_lines: true, trim: true });
  } catch (cause) {
    throw new ShelfError("bad_config", `${options.csv}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const types = (overlayJsonSchema as unknown as { properties: { records: { items: { properties: Record<string, { type?: string }> } } } })
    .properties.records.items.properties;
  const records = rows.map((row) => {
    const { id, repo = "*", module = "*", name, theorem_name = name, name: _, ...members } = row;
    const said = Object.entries(members).filter(([, value]) => value !== "");
    return {
      ...(id === undefined || id === "" ? { match: `${repo}/${module}/${theorem_name ?? "*"}` } : { ids: [id] }),
      ...Object.fromEntries(said.map(([member, value]) => [member, valueOf(value, types[member]?.type)])),
    };
  });
  const text = stringify({ records });
  const target = options.out ?? "registry.overlay.yaml";
  if (existsSync(target)) throw new ShelfError("bad_config", `${target} is there already; it was left as it is. Name another with --out.`);
  overlaySchema.parse({ records });
  writeWhole(target, text, { modes: OPEN });
  print(options, { file: target, records: records.length }, `Wrote ${target}: ${records.length} entries.\n`);
}

function valueOf(value: string, type: string | undefined): unknown {
  if (type === "boolean") return /^(?:true|yes|1)$/i.test(value) ? true : /^(?:false|no|0)$/i.test(value) ? false : value;
  return type === "array" ? value.split(";").map((part) => part.trim()) : value;
}
