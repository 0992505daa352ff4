/** `proofshelf build --plan` */
import { countOf } from "#snapshots/format";
import { openConfig } from "#generator/config";
import { type Annexes, type Preview, previewBuild } from "#generator/pipeline";
import type { Why } from "#generator/kept";
import { type CommonOptions, configOf, print } from "./options.ts";

/** Lines of one kind; the rest is counted, and `--json` has all. */
const MAX_LINES = 20;

const WORDS: Readonly<Record<Why, string>> = {
  first: "nothing has been published yet",
  forgotten: "what the last build knew is lost",
  program: "the program changed",
  new: "new",
  version: "another version",
  size: "another size",
  time: "its time comes from elsewhere now",
  images: "the configuration wants other pages of it as images",
  root: "its collection became public or gated",
  refused: "could not be read the last time",
};

export async function runPlan(options: CommonOptions & { readonly keepHistory?: boolean }, annexes: Annexes): Promise<void> {
  const preview = await previewBuild(await openConfig(configOf(options)), annexes, options.keepHistory === true);
  print(options, preview, describe(preview));
}

function describe(preview: Preview): string {
  const { nothing, running, objects, rejected, notes } = preview;
  const lines = [
    ...(running === null ? [] : [`${running} What it does may change this.`]),
    nothing
      ? `Nothing would be done: nothing has changed. ${countOf(objects.kept, "object is", "objects are")} kept.`
      : `Would read ${countOf(objects.read.length, "object")} (kept: ${objects.kept}, gone: ${objects.removed.length}), and make the pages, lists and documents that follow from them.`,
    ...some(objects.read.map(({ key, why }) => `Read ${JSON.stringify(key)}: ${why.map((one) => WORDS[one]).join(", ")}`)),
    ...some(objects.removed.map((key) => `Remove ${JSON.stringify(key)}: gone`)),
    ...rejected.map((item) => `Rejected ${item.source} ${JSON.stringify(item.key)}: ${item.reason}`),
    ...notes.map((note) => `Note: ${note}`),
  ];
  return `${lines.join("\n")}\n`;
}

function some(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more; --json has all`];
}
