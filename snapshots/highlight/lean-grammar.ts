/** A small Lean 4 grammar for highlight.js, which has none. */
import type { HLJSApi, Language } from "highlight.js";

const KEYWORDS = (
  "abbrev at attribute axiom break builtin_initialize by calc catch class coinductive constant continue " +
  "decreasing_by declare_syntax_cat def deriving do elab elab_rules else end example export extends finally for from fun " +
  "have if import in inductive infix infixl infixr initialize instance let lemma local macro macro_rules match mut " +
  "mutual namespace noncomputable nonrec notation nomatch obtain omit open opaque partial postfix prefix private protected " +
  "public return scoped section set_option show structure suffices syntax termination_by then theorem throw try universe " +
  "unless unsafe variable variables where while with"
).split(" ");

const TACTICS = (
  "absurd aesop all_goals and_intros any_goals apply assumption bound by_cases by_contra case cases change clear congr " +
  "constructor contradiction conv convert decide delta done dsimp erw exact exact_mod_cast exacts exfalso exists ext " +
  "field_simp first fin_cases funext generalize gcongr grind induction infer_instance injection interval_cases intro intros left " +
  "lift linarith native_decide next nlinarith norm_cast norm_num nth_rewrite omega positivity push_cast push_neg rcases " +
  "refine refine' rename rename_i repeat replace revert rewrite rfl right ring ring_nf rintro rw rwa simp simp_all " +
  "simp_arith simpa skip specialize split split_ifs subst subst_vars suffices symm tauto trans trivial unfold use"
).split(" ");

export function lean(hljs: HLJSApi): Language {
  const comment = hljs.COMMENT(/\/-/, /-\//, { contains: ["self"] });
  return {
    name: "Lean",
    keywords: {
      $pattern: "[A-Za-z_][\\w']*",
      keyword: KEYWORDS,
      built_in: TACTICS,
      type: ["Type", "Prop", "Sort", "Nat", "Int", "Bool", "List", "Option", "String", "Array", "Unit", "Fin"],
      literal: ["true", "false", "True", "False", "sorry", "admit"],
    },
    contains: [
      comment,
      hljs.COMMENT(/--/, /$/),
      { scope: "string", begin: /"/, end: /"/, contains: [hljs.BACKSLASH_ESCAPE] },
      { scope: "meta", begin: /@\[/, end: /\]/ },
      { scope: "meta", begin: /^#\w+/ },
      {
        begin: [/\b(?:theorem|lemma|def|abbrev|structure|class|inductive|axiom|opaque)\b/, /\s+/, /[^\s:({[⦃]+/],
        beginScope: { 1: "keyword", 3: "title" },
      },
      { scope: "number", begin: /\b(?:0x[\da-fA-F]+|0b[01]+|\d+(?:\.\d+)?)\b/ },
      // A name such as Nat.succ_le or h.1 is one word, so that `succ.rfl` does not light up inside.
      { begin: /[A-Za-z_][\w']*(?:\.[\w']+)+/ },
    ],
  };
}
