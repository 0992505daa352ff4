/** `proofshelf build --plan` */
import { openConfig } from "#generator/config";
import { type Annexes, type IndexPreview, type Preview, previewBuild } from "#generator/pipeline";
import type { Why } from "#generator/kept";
import { type CommonOptions, configOf, print } from "./options.ts";

/** Lines of one kind; the rest is counted, and `--json` has all. */
const MAX_LINES = 20;

const WORDS: Readonly<Record<Why, string>> = {
  first: "nothing has been published yet",
  forgotten: "what the last build knew is lost",
  program: "the program changed",
  new: "new",
  gone: "gone",
  version: "another version",
  size: "another size",
  time: "its time comes from elsewhere now",
  images: "the configuration wants other pages of it as images",
  root: "its collection became public or gated",
  refused: "could not be read the last time",
  content: "what it is made from changed",
  shared: "what all pages share changed",
  index: "the index does not have the snapshot that is served",
  gated: "the index has rows of what is gated now",
  redacted: "the index has rows of what is to be redacted",
};

export async function runPlan(options: CommonOptions & { readonly keepHistory?: boolean }, annexes: Annexes): Promise<void> {
  const preview = await previewBuild(await openConfig(configOf(options)), annexes, options.keepHistory === true);
  print(options, preview, describe(preview));
}

function describe(preview: Preview): string {
  const { nothing, running, objects, pages, json, index, rejected, notes } = preview;
  const lines = [
    ...(running === null ? [] : [`${running} What it does may change this.`]),
    nothing
      ? `Nothing would be done: nothing has changed. ${objects.kept} objects and ${pages.kept} pages are kept.`
      : `Would read ${objects.read.length} objects (${objects.kept} are kept, ${objects.removed.length} are gone) and render ${pages.rendered.length} pages (${pages.kept} are kept, ${pages.removed.length} are gone).`,
    ...some(objects.read.map(({ key, why }) => `Read ${JSON.stringify(key)}: ${say(why)}`)),
    ...some(objects.removed.map(({ key, why }) => `Remove ${JSON.stringify(key)}: ${say(why)}`)),
    ...some(pages.rendered.map(({ path, why }) => `Render ${path}: ${say([why])}`)),
    ...some(pages.removed.map((file) => `Remove ${file}`)),
    ...(["public", "internal"] as const).flatMap((view) => [
      ...(json[view] === null ? [] : [`Write the JSON of the ${view} view: ${say([json[view]])}`]),
      ...describeIndex(view, index[view]),
    ]),
    ...(preview.estimated
      ? [
          "Pages and documents are an estimate: what objects hold is known when they are read. Another title also changes the pages of neighbours and of what cites the object; the same bytes change nothing.",
        ]
      : []),
    ...rejected.map((item) => `Rejected ${item.source} ${JSON.stringify(item.key)}: ${item.reason}`),
    ...notes.map((note) => `Note: ${note}`),
  ];
  return `${lines.join("\n")}\n`;
}

function describeIndex(view: string, { written, removed, why }: IndexPreview): readonly string[] {
  return why === null ? [] : [`Write ${written} documents into the ${view} index and remove ${removed}: ${say([why])}`];
}

function say(why: readonly (Why | null)[]): string {
  return why.flatMap((one) => (one === null ? [] : [WORDS[one]])).join(", ");
}

function some(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more; --json has all`];
}
