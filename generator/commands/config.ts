/** `proofshelf config check | schema` */
import { findCollection } from "../../snapshots/format/view-data.ts";
import { configJsonSchema, openConfig } from "../config/config.ts";
import { readWithdrawals, withdrawalsJsonSchema } from "../config/withdrawals.ts";
import { listObjects } from "../sources/list-objects.ts";
import { openObjectStore } from "../sources/open-object-store.ts";
import { type CommonOptions, print } from "./options.ts";

/** @throws ShelfError "bad_config" with every problem and its line */
export async function runConfigCheck(options: CommonOptions): Promise<void> {
  const config = await openConfig(options.config ?? null);
  const withdrawals = config.withdrawals === null ? [] : readWithdrawals(config.withdrawals.path);
  const { rows, rejected } = await listObjects(openObjectStore(config.store), config);
  const counts = new Map(config.collections.map(({ id }) => [id, 0]));
  for (const { key } of rows) {
    const id = findCollection(config.collections, key)?.id ?? "";
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const collections = config.collections.map(({ id, visibility }) => ({ id, visibility, objects: counts.get(id) ?? 0 }));
  const lines = [
    `${config.file} is right.`,
    ...collections.map(
      ({ id, visibility, objects }) => `  ${id} (${visibility}): ${objects} objects${objects === 0 ? "; is the prefix right?" : ""}`,
    ),
    ...(withdrawals.length === 0 ? [] : [`  withdrawn: ${withdrawals.length}`]),
    ...(rejected.length === 0 ? [] : [`  left out: ${rejected.length}; a build says which and why`]),
  ];
  print(options, { file: config.file, collections, left_out: rejected.length }, `${lines.join("\n")}\n`);
}

/** The JSON Schema of the file, or of that of withdrawals, for editors. */
export function printConfigSchema({ withdrawals = false }: { readonly withdrawals?: boolean }): void {
  process.stdout.write(`${JSON.stringify(withdrawals ? withdrawalsJsonSchema : configJsonSchema, null, 2)}\n`);
}
