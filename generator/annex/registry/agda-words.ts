/** Words of an Agda signature that do not mean what they mean in Agda's own modules: notation, other names, names of old for something new. */
import type { StatementWord } from "#snapshots/schema";
import { type AgdaModule, type AgdaSite, SEVERAL } from "./agda-html.ts";
import { isDisguised } from "./coq-words.ts";

/** Names that readers know from Agda's own modules and its standard library. */
const USUAL = new Set(
  (
    "Nat ℕ zero suc Bool true false List [] _∷_ Maybe just nothing String Char Float Int ℤ Fin Vec Level lzero lsuc Unit ⊤ tt ⊥ _≡_ _≢_ refl ¬_ Not _+_ _-_ _*_ _<_ _≤_ _>_ _≥_ _==_ " +
    "Σ _,_ _×_ _⊎_ inj₁ inj₂ fst snd Dec yes no ∃ _∘_ id _∧_ _∨_ not even odd Even Odd Prime _∣_ _↔_ _⇔_ _∈_ _∉_ _≈_ _≅_"
  ).split(" "),
);
/** Such names, and the words of those that are operators. */
const USUAL_WORDS = new Set([...USUAL].flatMap((name) => [name, ...name.split("_")]));
const MAX_WORDS = 40;
/** A name of signs, of numbers, or with places for other words: `P=NP`, `0≡1`, `_divides_`. */
const READS_AS_FORMULA = /^\p{Nd}|_|[^\p{L}\p{N}\p{M}'′″‴.-]/u;

export type Meaning = {
  readonly siteAt: (target: string) => readonly [string, AgdaSite] | null;
  readonly nameOf: (target: string) => string | null;
  readonly pathOf: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, AgdaModule>;
};

/** agdaWords marks the words of a signature that do not mean what they seem to. @param within modules that a signature may rest on */
export function agdaWords({ words }: AgdaSite, within: readonly string[], { siteAt, nameOf, pathOf, modules }: Meaning): StatementWord[] {
  const found: StatementWord[] = [];
  const literal = within.find((module) => pathOf.has(module) && modules.get(module)?.literals != null);
  for (const [word, target] of words.values()) {
    const there = target === null ? null : siteAt(target);
    const [module = "", site] = there ?? [];
    const path = pathOf.get(module);
    const place = path === undefined || site === undefined ? {} : { path, line: site.line };
    const stands_for = (target === null ? null : nameOf(target)) ?? site?.text ?? "";
    if (target === null) {
      const of = literal === undefined ? undefined : pathOf.get(literal);
      if (of !== undefined)
        found.push({
          word,
          kind: "coercion",
          stands_for: "what these sources say that a literal is",
          path: of,
          line: modules.get(literal ?? "")?.literals ?? 0,
        });
    } else if (site === undefined && USUAL_WORDS.has(word))
      found.push({ word, kind: "name", stands_for: target.startsWith(SEVERAL) ? "one of several of this name" : "a variable here" });
    else if (site !== undefined && word !== site.text && !site.text.split("_").includes(word))
      found.push({ word, kind: "notation", stands_for, ...place });
    else if (site !== undefined && path !== undefined && USUAL.has(site.text)) found.push({ word, kind: "name", stands_for, ...place });
    else if (site !== undefined && path !== undefined && READS_AS_FORMULA.test(site.text))
      found.push({ word, kind: "notation", stands_for, ...place });
    else if (isDisguised(word)) found.push({ word, kind: "letters", stands_for, ...place });
  }
  return found.slice(0, MAX_WORDS);
}
