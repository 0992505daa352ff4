/** Faults, dealt out until something gives:
 *
 *      npm run torture -- --part faults              each 25th call that changes a file; minutes
 *      npm run torture -- --part faults --every 1    each one; hours
 *
 *  It works on libraries of its own in the system's folder for temporary files. Exit code 1 when something did not hold. */
import { parseArgs } from "node:util";
import { FAULT_COMMANDS, FAULT_KINDS, type FaultCommand, type FaultKind, tortureWithFaults } from "./faults.ts";

const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true, default: ["faults"] },
    every: { type: "string", default: "25" },
    command: { type: "string", multiple: true },
    kind: { type: "string", multiple: true },
    lanes: { type: "string", default: "2" },
  },
});

let failed = 0;
await tortureWithFaults({
  commands: FAULT_COMMANDS.filter((name: FaultCommand) => values.command?.includes(name) ?? true),
  kinds: FAULT_KINDS.filter((name: FaultKind) => values.kind?.includes(name) ?? true),
  every: Number(values.every),
  lanes: Number(values.lanes),
  onCase: (done, all) => process.stderr.isTTY && process.stderr.write(`\r${done} of ${all} `),
  onResult({ command, kind, calls, tried, failures }) {
    failed += failures.length;
    const survived = tried - failures.length;
    process.stdout.write(`${command.padEnd(12)} ${kind.padEnd(7)} ${calls} calls, ${tried} tried, ${survived} survived\n`);
    for (const failure of failures) process.stdout.write(`    ${failure}\n`);
  },
});
process.exitCode = failed === 0 ? 0 : 1;
