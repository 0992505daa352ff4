/** The guides that are made from the program: `npm run guides` writes them, and a test holds them. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { program } from "../cli.ts";
import { listConfigFields } from "./config-fields.ts";
import "../annexes.ts";

const FOLDER = new URL("../guides/library/guides/", import.meta.url);

/** A cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
const option = (flags: string, what: string): string => `- \`${flags}\`: ${what}`;
const code = (text: string): string => (text === "" ? "" : `\`${text}\``);

/** referenceGuides returns name → text of the guides that are made. */
export function referenceGuides(): ReadonlyMap<string, string> {
  return new Map([
    ["configuration.md", configurationGuide()],
    ["command-line.md", commandLineGuide()],
  ]);
}

function configurationGuide(): string {
  const fields = listConfigFields();
  const tops = [...Map.groupBy(fields, ({ key }) => key.split(/[. [(]/)[0] ?? key)];
  const table = (rows: typeof fields): string =>
    [
      row("key", "value", "default", "meaning"),
      "|---|---|---|---|",
      ...rows.map(({ key, type, required, default: usual, description }) =>
        row(code(key), type, required ? "needed" : code(usual), description),
      ),
    ].join("\n");
  const alone = tops.filter(([, rows]) => rows.length === 1).flatMap(([, rows]) => rows);
  const parts = tops.filter(([, rows]) => rows.length > 1);
  const sections = [["Keys that are one value", alone] as const, ...parts].map(([title, rows]) => `## ${title}\n\n${table(rows)}`);
  return `# Configuration

\`proofshelf.yaml\` says what is published, and to whom. Relative paths are relative to the file. An unknown key is a mistake, and so is a
secret: secrets come from the environment. \`proofshelf init\` writes a first file. \`proofshelf config check\` says what is wrong, with its
line. \`proofshelf config schema\` prints the JSON Schema; \`--claims\`, \`--registry\` and \`--withdrawals\` print those of the other files.

\`a[].b\` is the key b of each entry of the list a. \`store (s3).bucket\` is a key of a store of that kind.

${sections.join("\n\n")}
`;
}

function commandLineGuide(): string {
  const describe = (command: Command, words: string): readonly string[] => {
    const children = command.commands.filter((child) => child.name() !== "help");
    if (children.length > 0) return children.flatMap((child) => describe(child, `${words} ${child.name()}`));
    const places = command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`));
    const own = command.options.filter(({ long }) => !COMMON.includes(long ?? ""));
    return [
      [
        `## ${[words, ...places].join(" ").replaceAll(/[<>]/g, "")}`,
        "",
        `${command.description()}.`,
        ...(own.length === 0 ? [] : [""]),
        ...own.map(({ flags, description, envVar }) =>
          option(flags, envVar === undefined ? description : `${description}; ${envVar} in the environment says it, too`),
        ),
      ].join("\n"),
    ];
  };
  return `# The command line

${program.description()}

Nearly every command takes:

${COMMON_MEANING.map(([flags, what]) => option(flags, what)).join("\n")}

Without \`--config\` a command takes the \`proofshelf.yaml\` of the folder where you are, or of the nearest one above it.
[When something goes wrong](trouble.md) has the exit codes.

${program.commands
  .filter((command) => command.name() !== "help")
  .flatMap((command) => describe(command, command.name()))
  .join("\n\n")}
`;
}

const COMMON_MEANING = [
  ["--config FILE", "The configuration"],
  ["--demo", "The demo library in place of one"],
  ["--json", "One JSON document on standard output, and nothing else"],
  ["--quiet", "Only what is wrong, or worth a note"],
  ["--verbose", "Everything, and how long each step took"],
] as const;
const COMMON = COMMON_MEANING.map(([option]) => option.split(" ")[0] ?? "");

if (import.meta.main) for (const [name, text] of referenceGuides()) writeFileSync(fileURLToPath(new URL(name, FOLDER)), text);
