/** The reading that a claim of Metamath takes: the rules of syntax that its tree is made by, what defines each, and the rules that those are made by.
 *  A rule that nothing defines is what the axioms say of it. */
import { sha256 } from "#snapshots/digest";
import { formatMetamath, type MetamathDatabase, type MetamathStatement } from "./metamath.ts";
import { isMadeTree } from "./metamath-alike.ts";
import { rulesOf } from "./metamath-definitions.ts";
import type { Trees } from "./metamath-trees.ts";

type Reading = { readonly sha256: string; readonly mentions: readonly MetamathStatement[] };

/** openMeaning opens what the statements of a database name. @param isSound whether a statement is a definition that says nothing new */
export function openMeaning(
  { statements, syntax }: Pick<MetamathDatabase, "statements" | "syntax">,
  { treeOf }: Trees,
  isSound: (one: MetamathStatement) => boolean,
) {
  /** Rules by which a claim and its hypotheses are made, in the order in which they are met; null where one of them is no one tree. */
  const mentionsOf = (one: MetamathStatement): readonly MetamathStatement[] | null => {
    const trees = [...one.mandatory.filter(({ floats }) => !floats), one].map((what) => treeOf(one, what));
    const read = trees.flatMap((tree) => ("why" in tree ? [] : [...rulesOf(tree)]));
    return trees.some((tree) => "why" in tree) ? null : [...new Set(read)];
  };
  const definers = new Map<MetamathStatement, MetamathStatement[]>();
  const used = new Set<MetamathStatement>();
  for (const one of statements) {
    if (syntax.has(one.type)) continue;
    const rules = mentionsOf(one) ?? [];
    if (one.kind === "a" && (isSound(one) || one.label.startsWith("df-"))) {
      const tree = treeOf(one, one);
      const [left] = isMadeTree(tree) ? tree.args : [];
      const fresh = rules.filter((rule) => !used.has(rule));
      // The left side is defined where it is new, or where nothing is; else whatever is new.
      const isLeft =
        isMadeTree(left) &&
        left.args.every((arg) => "variable" in arg) &&
        (fresh.includes(left.rule) || (fresh.length === 0 && left.args.length > 0));
      const defined = isLeft ? [left.rule] : fresh;
      for (const rule of defined) definers.set(rule, [...(definers.get(rule) ?? []), one]);
    }
    for (const rule of rules) used.add(rule);
  }
  const readingOf = (one: MetamathStatement): Reading => ({
    sha256: sha256([...one.types, formatMetamath(one)].join("\n")),
    mentions: syntax.has(one.type) || definers.has(one) ? (definers.get(one) ?? []) : (mentionsOf(one) ?? []),
  });
  return {
    mentionsOf,
    /** All that is read below some statements. */
    *below(starts: ReadonlySet<MetamathStatement>): Generator<readonly [MetamathStatement, Reading]> {
      const seen = new Set(starts);
      for (const one of seen) {
        const reading = readingOf(one);
        yield [one, reading];
        for (const other of reading.mentions) seen.add(other);
      }
    },
  };
}
