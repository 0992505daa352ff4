/** `proofshelf repair` */
import type { Annexes } from "#generator/pipeline";
import { openConfig } from "#generator/config";
import { countErrors, describeFindings } from "#generator/publish";
import { repair } from "./repair.ts";
import { type CommonOptions, configOf, FOUND, print } from "#generator/commands";

const LOST = `What is listed is lost here; what was set aside lies under internal/lost in the shelf.
A backup or a mirror of the shelf may have it: copy what is under its blobs/ and packs/ beside what is here, and run repair again.
Without one, prune the snapshots that miss it: proofshelf prune --keep <number>
`;

export async function runRepair(options: CommonOptions, annexes: Annexes): Promise<void> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const { mended, findings, notes } = await repair(config, annexes);
  const errors = countErrors(findings);
  const lines = [
    ...mended.map(({ root, path, how }) => `${root}/${path}: ${how}\n`),
    ...notes.map((note) => `Note: ${note}\n`),
    mended.length === 0 && findings.length === 0 ? "Nothing is damaged.\n" : describeFindings(findings),
    ...(errors > 0 ? [LOST] : []),
  ];
  print(options, { mended, errors, warnings: findings.length - errors, findings, notes }, lines.join(""));
  if (errors > 0) process.exitCode = FOUND;
}
