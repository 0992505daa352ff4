/** Rows of languages of models, proofs and specifications that highlight.js has no grammar of: comments, words, and the words after which a name is
 *  declared. languages.ts takes them into its table. */
import type { LanguageRow } from "./language-row.ts";

const C_LIKE = { line: ["//"], block: [["/*", "*/"]], path: "file" } as const;
const LISP_LIKE = { line: [";"], block: [["#|", "|#"]], path: "file" } as const;

/** declares makes rows of declarations: a line that begins with one of the words and a name declares the name.
 *  @param words separated by "|"
 *  @param holders words that do so, and whose deeper lines hold declarations of their own */
function declares(words: string, holders?: string): { readonly declarations: NonNullable<LanguageRow["declarations"]> } {
  const line = (some: string): RegExp =>
    new RegExp(
      String.raw`^[ \t]*(?:(?:private|abstract|pure|ghost|one|lone|some|val|rec)[ \t]+)*(?:${some})(?![\w'])[ \t]+([\p{L}_$][\p{L}\p{N}_$'.!?-]*)`,
      "u",
    );
  return { declarations: { begins: line(words), ...(holders === undefined ? {} : { holds: line(holders) }) } };
}

export const FORMAL_LANGUAGES: Readonly<Record<string, LanguageRow>> = {
  alloy: {
    line: ["//", "--"],
    block: [["/*", "*/"]],
    path: "file",
    ...declares("sig|pred|fun|fact|assert|enum|module"),
    keywords:
      "abstract all and as assert before after always eventually historically once but check disj else enum exactly expect extends fact for fun " +
      "iden iff implies in Int let lone module no none not one open or pred private run set sig some String sum this univ until var",
  },
  boogie: {
    ...C_LIKE,
    ...declares("procedure|implementation|function|axiom|const|var|type"),
    keywords:
      "assert assume axiom bool break call complete const else ensures exists extends false finite forall free function goto havoc if " +
      "implementation int invariant lambda modifies old procedure real requires return returns then true type unique var where while",
  },
  viper: {
    ...C_LIKE,
    ...declares("method|function|predicate|field|axiom|adt|define", "domain"),
    keywords:
      "acc adt apply assert assume axiom Bool constraining decreases define domain else elseif ensures epsilon exhale exists false field fold " +
      "forall forperm fresh function goto if import in inhale Int intersection invariant label let Map method Multiset new none null old package " +
      "Perm perm predicate Ref requires result returns Seq Set subset true unfold unfolding union unique var wand while wildcard write",
  },
  tptp: {
    line: ["%"],
    block: [["/*", "*/"]],
    path: "file",
    declarations: { begins: /^[ \t]*(?:thf|tff|tcf|fof|cnf|tpi)\([ \t]*([\w']+)/, ends: /^[ \t]*include\(/ },
    keywords:
      "axiom assumption cnf conjecture corollary definition fof hypothesis include lemma negated_conjecture plain tcf tff theorem thf type unknown",
  },
  dedukti: {
    line: [],
    block: [["(;", ";)"]],
    nests: true,
    path: "dots",
    declarations: { begins: /^(?:(?:def|thm|defac|defacu|private|injective)[ \t]+)*([\p{L}_][\p{L}\p{N}_']*)[ \t]*:(?!=)/u, ends: /^#/ },
    keywords: "def defac defacu injective private thm Type",
  },
  lambdapi: {
    line: ["//"],
    block: [["/*", "*/"]],
    nests: true,
    path: "dots",
    ...declares("symbol|inductive|rule|opaque|theorem|notation|builtin"),
    keywords:
      "abort admit admitted apply as assert assertnot assoc associative assume begin builtin coerce_rule commutative compute constant debug end fail " +
      "flag generalize have in induction inductive infix injective let notation off on opaque open postfix prefix print private proofterm " +
      "protected prover quantifier refine reflexivity remove require rewrite rule sequential simplify solve symbol symmetry TYPE try type unif_rule verbose why3 with",
  },
  idris: {
    line: ["--"],
    block: [["{-", "-}"]],
    nests: true,
    doc: /^\|\|\|/,
    module: /^module[ \t]+([\w.']+)/m,
    path: "dots",
    declarations: {
      begins:
        /^[ \t]*(?:(?:(?:public|private|export|total|partial|covering)[ \t]+)*(?:data|record|interface|namespace|parameters)[ \t]+([\p{L}_][\p{L}\p{N}_']*)|([\p{Ll}_][\p{L}\p{N}_']*)[ \t]+:[ \t\r\n])/u,
      ends: /^(?:import|module)\b/,
    },
    keywords:
      "auto case codata constructor covering data default do else export failing forall if implementation implicit import impossible in infix infixl " +
      "infixr interface let module mutual namespace of open parameters partial prefix private proof public record rewrite then total using where with",
  },
  pvs: {
    line: ["%"],
    block: [],
    path: "file",
    declarations: {
      holds: /^[ \t]*([\p{L}_][\p{L}\p{N}_?!]*)[^:\n]{0,200}:[ \t]*THEORY\b/u,
      begins:
        /^[ \t]*([\p{L}_][\p{L}\p{N}_?!]*)(?:\([^)\n]{0,200}\)|\[[^\]\n]{0,200}\])*[ \t]*:[ \t]*(?!THEORY)(?:LEMMA|THEOREM|AXIOM|COROLLARY|PROPOSITION|CONJECTURE|TYPE|DATATYPE|[\p{L}[(])/u,
    },
    keywords:
      "AND ASSUMING ASSUMPTION AXIOM BEGIN BUT BY CASES CLAIM CLOSURE CODATATYPE COND CONJECTURE CONTAINING CONVERSION COROLLARY DATATYPE ELSE ELSIF END " +
      "ENDASSUMING ENDCASES ENDCOND ENDIF ENDTABLE EXISTS EXPORTING FACT FALSE FORALL FORMULA FROM FUNCTION HAS_TYPE IF IFF IMPLIES IMPORTING IN " +
      "INDUCTIVE JUDGEMENT LAMBDA LAW LEMMA LET LIBRARY MACRO MEASURE NONEMPTY_TYPE NOT O OBLIGATION OF OR ORELSE POSTULATE PROPOSITION RECURSIVE " +
      "SUBLEMMA SUBTYPES TABLE THEN THEOREM THEORY TRUE TYPE VAR WHEN WHERE WITH XOR",
  },
  acl2: {
    ...LISP_LIKE,
    declarations: {
      begins:
        /^\((?:defthmd?|defund?|defun-sk|define|defconst|defmacro|defaxiom|defstobj|defrule|encapsulate|mutual-recursion|defsection)[ \t\r\n]+([^\s()]+)?/,
      ends: /^\((?:in-package|include-book|local|set-|in-theory)/,
    },
    keywords:
      "and cond declare defaxiom defconst define defmacro defrule defstobj defthm defthmd defun defund encapsulate equal if implies in-package in-theory include-book let local mutual-recursion not or set-induction-depth-limit xargs",
  },
  maude: {
    line: ["***", "---"],
    block: [],
    path: "file",
    ...declares("sort|sorts|op|ops|class", "fmod|mod|smod|omod|fth|th|view"),
    keywords:
      "assoc ceq class cmb comm crl ctor endfm endfth endm endo endom endsm endth endv eq ex extending fmod fth gather id idem if including inc is iter " +
      "load mb memo mod msg omod op ops or owise prec pr protecting red reduce rew rewrite rl search smod sort sorts special strat subsort subsorts th to var vars view",
  },
  k: {
    ...C_LIKE,
    ...declares("syntax|rule|configuration|context|claim", "module"),
    keywords:
      "andBool andThenBool claim configuration context endmodule ensures imports in left module non-assoc notBool orBool orElseBool priorities private public requires right rule syntax xorBool",
  },
  cryptol: {
    ...C_LIKE,
    module: /^module[ \t]+([\w:]+)/m,
    declarations: {
      begins:
        /^[ \t]*(?:(?:type|newtype|primitive|property|enum)[ \t]+(?:constraint[ \t]+)?([\p{L}_][\p{L}\p{N}_']*)|([\p{L}_][\p{L}\p{N}_']*)[ \t]*:[ \t\r\n{])/u,
      ends: /^(?:import|module|parameter|private)\b/,
    },
    keywords:
      "as by constraint down else enum extern False fin hiding if import in include infix infixl infixr inf interface let max min module newtype parameter pragma primitive private property submodule then True type where width",
  },
  sail: {
    ...C_LIKE,
    ...declares("function|val|type|union|struct|enum|register|mapping|scattered|overload|let|bitfield|clause"),
    keywords:
      "and as assert bitfield bitone bitzero by catch clause config constraint dec default do effect else end enum exit false forall foreach forwards from " +
      "function if in inc let mapping match monadic mutual newtype op Order overload private pure ref register repeat return scattered sizeof struct then throw true try type Type undefined union until val var where while with",
  },
  promela: {
    ...C_LIKE,
    ...declares("proctype|inline|ltl|mtype|typedef|never|chan"),
    keywords:
      "active assert atomic bit bool break byte chan d_step do else empty enabled false fi for full goto hidden if init inline int len local ltl mtype nempty " +
      "never nfull notrace od of pc_value priority proctype provided run select short show skip timeout trace true typedef unless unsigned xr xs",
  },
  smv: {
    line: ["--"],
    block: [],
    path: "file",
    ...declares("MODULE|FROZENVAR|IVAR|DEFINE"),
    keywords:
      "ASSIGN AG AF AX EG EF EX A E U G F X V S T O H CTLSPEC COMPASSION CONSTANTS DEFINE esac case FAIRNESS FROZENVAR INIT INVAR INVARSPEC ISA IVAR JUSTICE LTLSPEC MODULE SPEC TRANS VAR array boolean FALSE init mod next of process self TRUE union xor xnor in",
  },
  tamarin: {
    ...C_LIKE,
    nests: true,
    ...declares("theory|rule|lemma|axiom|restriction|functions|builtins|predicates|equations|tactic"),
    keywords:
      "All Ex F T begin builtins end equations exists-trace all-traces functions heuristic in induction lemma let modulo not out predicates process restriction reuse rule section sources tactic theory use_induction",
  },
  twelf: {
    line: ["%%", "% "],
    block: [["%{", "}%"]],
    path: "file",
    declarations: { begins: /^([^\s%(){}[\].:]+)[ \t]*:[ \t\r\n]/, ends: /^%/ },
    keywords: "type",
  },
  solidity: {
    ...C_LIKE,
    doc: /^\/\*\*|^\/\/\//,
    ...declares("function|modifier|event|struct|enum|error|constructor", "contract|interface|library"),
    keywords:
      "abstract address anonymous as assembly assert bool break bytes calldata catch constant constructor continue contract default delete do else emit enum error event " +
      "external fallback false final for from function if immutable import indexed int interface internal is library mapping memory modifier new override payable " +
      "pragma private public pure receive require return returns revert storage string struct super this throw true try type uint unchecked using view virtual while",
  },
  zig: {
    line: ["//"],
    block: [],
    doc: /^\/\/!/,
    path: "file",
    ...declares("pub fn|fn|pub const|const|pub var|var|test"),
    keywords:
      "align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern false fn for if " +
      "inline linksection noalias noinline nosuspend null opaque or orelse packed pub resume return struct suspend switch test threadlocal true try undefined union unreachable usingnamespace var volatile while",
  },
  terraform: {
    line: ["#", "//"],
    block: [["/*", "*/"]],
    path: "file",
    declarations: {
      begins:
        /^(?:resource|data|module|variable|output|provider|locals|terraform|moved|import|check)\b[ \t]*(?:"([^"\n]+)"[ \t]*)?(?:"[^"\n]+"[ \t]*)?\{/,
    },
    keywords: "data each else endfor endif false for if in locals module moved null output provider resource terraform true variable",
  },
};
