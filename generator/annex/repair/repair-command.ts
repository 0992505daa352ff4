/** `proofshelf repair` */
import type { Annexes } from "#generator/pipeline";
import { openConfig } from "#generator/config";
import { countErrors, describeFindings } from "#generator/publish";
import { repair } from "./repair.ts";
import { type CommonOptions, configOf, FOUND, print } from "#generator/commands";

export async function runRepair(options: CommonOptions, annexes: Annexes): Promise<void> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const { mended, findings, notes } = await repair(config, annexes);
  const errors = countErrors(findings);
  const lines = [
    ...mended.map(({ root, path, how }) => `${root}/${path}: ${how}\n`),
    ...notes.map((note) => `Note: ${note}\n`),
    mended.length === 0 && findings.length === 0 ? "Nothing is damaged.\n" : describeFindings(findings),
    ...(errors > 0 ? ["What is listed is lost. What was set aside lies under internal/lost in the shelf.\n"] : []),
  ];
  print(options, { mended, errors, warnings: findings.length - errors, findings, notes }, lines.join(""));
  if (errors > 0) process.exitCode = FOUND;
}
