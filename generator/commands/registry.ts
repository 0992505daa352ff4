/** `proofshelf registry check`: what a build would say of a registry's file, without a build. */
import { countOf } from "#snapshots/format";
import { readFile } from "node:fs/promises";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import { countRecords } from "#snapshots/query";
import { openConfig } from "#generator/config";
import {
  checkRegistry,
  describeFindings,
  MAX_REGISTRY_BYTES,
  type ParsedRegistry,
  parseRegistry,
  readSourceFile,
  type StatementAnnexes,
} from "#generator/sources";
import { type CommonOptions, findConfigOf, FOUND, print } from "./options.ts";

/** runRegistryCheck checks a registry. With a configuration, it looks into the code store and knows the internal fields. */
export async function runRegistryCheck(
  file: string,
  options: CommonOptions & { readonly counts?: boolean },
  annexes: StatementAnnexes,
): Promise<void> {
  const path = findConfigOf(options);
  const config = path === null ? null : await openConfig(path, { checkSources: false });
  const bytes = await readSourceFile(file, "registry file", MAX_REGISTRY_BYTES);
  const registry = parse(bytes);
  if (registry instanceof ShelfError) {
    print(
      options,
      { records: 0, notes: [], rejected: [], findings: [{ record: null, field: "", what: registry.message }] },
      `${registry.message}\n`,
    );
    process.exitCode = FOUND;
    return;
  }
  const filled = options.counts === true ? await fillCounts(file, bytes, registry) : null;
  const checked = filled ?? registry;
  const { findings, rejected } = await checkRegistry(checked, config, annexes);
  const lines = [
    ...(filled === null ? [] : ["The counts were written into the file."]),
    ...rejected.map(({ key, reason }) => `Rejected ${JSON.stringify(key)}: ${reason}`),
    ...checked.notes,
    ...describeFindings(findings),
  ];
  const found = rejected.length + checked.notes.length + findings.length;
  lines.push(`${countOf(checked.records.length, "record")}, ${found === 0 ? "nothing found" : countOf(found, "finding")}.`);
  print(options, { records: checked.records.length, notes: checked.notes, rejected, findings }, `${lines.join("\n")}\n`);
  if (found > 0) process.exitCode = FOUND;
}

function parse(bytes: Uint8Array): ParsedRegistry | ShelfError {
  try {
    return parseRegistry(bytes);
  } catch (error) {
    if (error instanceof ShelfError) return error;
    throw error;
  }
}

/** Writes what the records count into the file's metadata; all else stays, in the file's own indentation.
 *  @returns the registry as it is now */
async function fillCounts(file: string, bytes: Uint8Array, registry: ParsedRegistry): Promise<ParsedRegistry> {
  const text = new TextDecoder().decode(bytes);
  const body = JSON.parse(text) as { meta?: Record<string, unknown> };
  const counts = countRecords(registry.records.map(({ record }) => record));
  // Counters that cannot be counted stay as they are declared.
  const readiness = { ...registry.meta.readiness_counts, ...counts["readiness_counts"] };
  const filled = { ...body, meta: { ...body.meta, ...counts, readiness_counts: readiness } };
  const indentation = /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  const written = `${JSON.stringify(filled, null, indentation)}${text.endsWith("\n") ? "\n" : ""}`;
  writeWhole(file, written, { modes: OPEN });
  return parseRegistry(await readFile(file));
}
