/** What every command takes, and what several do with it. */
import { openConfig } from "../config/config.ts";
import { openShelves, refresh, type Shelves } from "../shelves.ts";

export type CommonOptions = {
  readonly config?: string;
  readonly json?: boolean;
  /** Says only what is wrong or worth a note. */
  readonly quiet?: boolean;
  /** Says all, however long it is. */
  readonly verbose?: boolean;
};

/** The shelves of the configuration, as they are now; its sources need not be there. */
export async function openConfigured(options: CommonOptions): Promise<Shelves> {
  const shelves = openShelves(await openConfig(options.config ?? null, { checkSources: false }));
  await refresh(shelves);
  return shelves;
}

/** Says a command's result on standard output: as one line of JSON when that was asked for, else in words. */
export function print(options: Pick<CommonOptions, "json">, value: unknown, text: string): void {
  process.stdout.write(options.json === true ? `${JSON.stringify(value)}\n` : text);
}
