/** Options that every command takes, and the steps that several commands make of them. */
import { ShelfError } from "#snapshots/errors";
import { CONFIG_NAME, DEMO_CONFIG, findConfig, openConfig } from "#generator/config";
import { openShelves, refresh, type ShelfAnnexes, type Shelves } from "#generator/shelves";

/** FOUND is the exit code of a command that looked and found something. */
export const FOUND = 3;
/** REFUSED is that of one that a gate refuses. */
export const REFUSED = 5;

export type CommonOptions = {
  readonly config?: string;
  /** The demo library in place of a configuration. */
  readonly demo?: boolean;
  readonly json?: boolean;
  /** Says only what is wrong or worth a note. */
  readonly quiet?: boolean;
  /** Says all, however long it is. */
  readonly verbose?: boolean;
};

/** findConfigOf returns the path of the configuration that a command was given, or that lies in the current folder or above it; null when there is
 *  none. It names one that lies further up, since the command works on it.
 *  @throws ShelfError "bad_config" when two are named */
export function findConfigOf(options: CommonOptions): string | null {
  if (options.demo !== true) {
    if (options.config !== undefined) return options.config;
    const found = findConfig();
    if (found !== null && found !== CONFIG_NAME && options.quiet !== true) process.stderr.write(`Using ${found}\n`);
    return found;
  }
  if (options.config === undefined) return DEMO_CONFIG;
  throw new ShelfError("bad_config", "--demo is the demo library and --config another one; keep one of the two.", {
    fixes: [`Your own library: proofshelf serve --build --config ${options.config}`],
  });
}

/** configOf returns the same path, for a command that does nothing without a configuration. @throws ShelfError "bad_config" */
export function configOf(options: CommonOptions): string {
  const found = findConfigOf(options);
  if (found !== null) return found;
  throw new ShelfError("bad_config", `There is no ${CONFIG_NAME} in ${process.cwd()} or in a folder above it.`, {
    fixes: [
      "Write one for the files that are here: proofshelf init",
      "Name one that lies elsewhere: --config FILE",
      "Or look at the demo library: --demo",
    ],
  });
}

/** openConfigured opens the shelves of the configuration, as they are now; its sources need not be there. */
export async function openConfigured(options: CommonOptions, annexes: ShelfAnnexes): Promise<Shelves> {
  const shelves = openShelves(await openConfig(configOf(options), { checkSources: false }), annexes);
  await refresh(shelves);
  return shelves;
}

/** print writes a command's result to standard output: as one line of JSON when that was asked for, else in words. */
export function print(options: Pick<CommonOptions, "json">, value: unknown, text: string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value)}\n` : text);
}
