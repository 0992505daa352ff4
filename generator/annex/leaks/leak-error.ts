/** A build that found what is gated in a public file: what it tells to who runs it. The message may be served, so it names nothing. */
import { countOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import type { Leak } from "#snapshots/annex/leaks";

/** LeakGroup is everything that one gated object says in public, by its text. */
export type LeakGroup = {
  /** Key or prefix; null for what a record or a claim keeps to itself. */
  readonly gated: string | null;
  readonly found: readonly {
    readonly kind: Leak["kind"];
    readonly text: string;
    /** Line of the gated object. */
    readonly line: number | null;
    readonly public: readonly Leak["public"][];
  }[];
};

export class LeakError extends ShelfError {
  readonly leaks: readonly LeakGroup[];

  /** @param isAsked whether public sources only repeat it, which a gate refuses */
  constructor(leaks: readonly Leak[], isAsked = false) {
    const files = new Set(leaks.map(({ public: { path } }) => path)).size;
    super(
      isAsked ? "gate_refused" : "build_failed",
      `Nothing was published, because ${countOf(files, "public file")} would hold what is not public.`,
      {
        fixes: [
          "Take it out of the public source, the claim or the record that says it, make its collection public, or gate the source.",
          "What may be said all the same stands in the configuration, with the reason:",
          proposal(leaks),
          "or with gated: the gated key, in place of text, for everything that it says.",
        ],
      },
    );
    this.leaks = groupLeaks(leaks);
  }

  /** For the terminal of who runs the build. */
  get detail(): string {
    return describeLeaks(this.leaks);
  }
}

/** Files that a proposal has an entry each for; of more, their folders have one. */
const MAX_PROPOSED = 50;

/** proposal returns allowances that cover every file that is named, to be pasted. */
export function proposal(leaks: readonly Pick<Leak, "public">[]): string {
  const names = new Set(leaks.map(({ public: { name } }) => name));
  const places = names.size <= MAX_PROPOSED ? names : new Set([...names].map((name) => name.replace(/\/.*$/s, "/**")));
  const entries = [...places].map((name) => `{ public: ${JSON.stringify(name)}, text: "the words as they stand above", reason: "why" }`);
  return `leaks: { allow: [${entries.join(", ")}] }`;
}

function groupLeaks(leaks: readonly Leak[]): readonly LeakGroup[] {
  return [...Map.groupBy(leaks, ({ gated }) => gated.name)].map(([gated, all]) => ({
    gated,
    found: [...Map.groupBy(all, ({ kind, text, gated: { line } }) => JSON.stringify([kind, text, line])).values()].map((same) => {
      const { kind, text, gated: from } = same[0] as Leak;
      return { kind, text, line: from.line, public: same.map((leak) => leak.public) };
    }),
  }));
}

function describeLeaks(groups: readonly LeakGroup[]): string {
  return groups
    .flatMap(({ gated, found }) => [
      gated === null ? "Kept to itself by a record or a claim:" : `Gated ${JSON.stringify(gated)}:`,
      ...found.flatMap(({ kind, text, line, public: places }) => [
        `  ${kind}${line === null ? "" : ` of line ${line}`}: ${JSON.stringify(text)}`,
        ...places.map(
          ({ path, line: at, pointer }) => `    in ${path}${at === null ? "" : `, line ${at}`}${pointer === null ? "" : `, at ${pointer}`}`,
        ),
      ]),
    ])
    .map((line) => `${line}\n`)
    .join("");
}
