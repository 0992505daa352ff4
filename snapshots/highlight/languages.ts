/** A row for each language of source code: its comments, where a file says its own name, how its declarations begin. coq.ts and lean.ts
 *  find declarations by their own rules; every other row is read by declarations.ts. No pattern has a quantifier inside another that can take the
 *  same signs. */
import { FORMAL_LANGUAGES } from "./formal-languages.ts";
import type { LanguageRow } from "./language-row.ts";

const ML_COMMENTS = { line: [], block: [["(*", "*)"]], nests: true } as const satisfies Partial<LanguageRow>;
const C_COMMENTS = { line: ["//"], block: [["/*", "*/"]] } as const satisfies Partial<LanguageRow>;
export const LEAN_COMMENTS = { line: ["--"], block: [["/-", "-/"]], nests: true } as const satisfies Partial<LanguageRow>;
const ML_DOC = /^\(\*\*(?![*)])/;

const FSTAR_MODIFIERS =
  "(?:(?:private|abstract|unfold|irreducible|noextract|inline_for_extraction|noeq|unopteq|assume|total|ghost|atomic|reifiable|reflectable|new|inline|logic)\\s+)*";
const DAFNY_MODIFIERS =
  "(?:(?:ghost|static|opaque|abstract|protected|twostate|least|greatest|inductive|copredicate|replaceable|export)[ \\t]+)*";
const ISABELLE_STATEMENTS =
  "lemma|theorem|corollary|proposition|schematic_goal|definition|abbreviation|fun|function|primrec|primcorec|primcorecursive|corec|datatype|codatatype|" +
  "record|type_synonym|typedef|typedecl|quotient_type|inductive|inductive_set|coinductive|coinductive_set|locale|class|instantiation|instance|" +
  "interpretation|sublocale|global_interpretation|axiomatization|consts|lemmas|named_theorems|method|partial_function|lift_definition|" +
  "quotient_definition|nominal_datatype|specification|bundle|experiment|context|notepad|overloading|crunch|setup|method_setup|simproc_setup";

const JAVA_MODIFIERS =
  "(?:(?:public|protected|private|abstract|static|final|sealed|non-sealed|strictfp|default|synchronized|native)[ \\t]+){0,6}";
const RUST_MODIFIERS = String.raw`(?:pub(?:[ \t]*\([^)\n]{0,100}\))?[ \t]+)?(?:(?:default|async|unsafe|open|closed|uninterp|proof|exec|spec(?:\(checked\))?|broadcast|const(?=[ \t]+(?:unsafe|async|extern|fn)\b)|extern[ \t]+"[^"\n]{0,40}"(?=[ \t]+(?:fn|unsafe)\b))[ \t]+){0,6}`;
/** Words that begin a statement which looks like a declaration. */
const NO_CALL = String.raw`(?!(?:if|for|while|switch|return|else|do|new|throw|catch|try|sizeof|typedef|case|delete|await|yield|super|this|assert)\b)`;
const SCRIPT: LanguageRow = {
  ...C_COMMENTS,
  path: "file",
  declarations: {
    // A call may look like a method but for its arguments: a method has names of parameters there.
    begins: new RegExp(
      String.raw`^[ \t]*(?:(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:(?:async[ \t]+)?function[ \t*]+([\w$]+)|(?:const|let|var|interface|type|(?:const[ \t]+)?enum)[ \t]+([\w$]+))|${NO_CALL}(?:(?:public|private|protected|static|async|override|abstract|get|set)[ \t]+){0,4}[*#]?([\w$]+)[ \t]*(?:<[^>\n]{0,100}>)?\([^"'\x60=()\n]{0,200}\)[^;="'\n]{0,200}\{)`,
    ),
    holds: /^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:class|namespace|module)[ \t]+([\w$.]+)/,
    ends: /^[ \t]*(?:import\b|export[ \t]*[{*])/,
    leads: /^[ \t]*@\w/,
  },
};

export const LANGUAGES: Readonly<Record<string, LanguageRow>> = {
  ...FORMAL_LANGUAGES,
  coq: { ...ML_COMMENTS, doc: ML_DOC, path: "capitals" },
  lean: { ...LEAN_COMMENTS, doc: /^\/-!/, path: "capitals" },
  rust: {
    ...C_COMMENTS,
    nests: true,
    doc: /^(?:\/\/!|\/\*!)/,
    path: "crate",
    declarations: {
      begins: new RegExp(
        String.raw`^[ \t]*${RUST_MODIFIERS}(?:fn|struct|enum|union|type|const|static|macro_rules!)[ \t]+(?:mut[ \t]+)?([\p{L}_]\w*)`,
        "u",
      ),
      // A module of another file holds nothing here.
      holds: new RegExp(
        String.raw`^[ \t]*${RUST_MODIFIERS}(?:trait[ \t]+(\w+)|(?:mod[ \t]+(?=\w+[ \t]*\{)|(?=impl\b))(?<scope>impl\b[^{;\n]{0,150}[^{;\s]|\w+)|verus!|extern\b[^{;\n]{0,60}\{)`,
      ),
      ends: new RegExp(String.raw`^[ \t]*(?:\/[/*]!|${RUST_MODIFIERS}(?:mod|extern)\b)`),
      leads: /^[ \t]*#\[/,
      strings:
        /\/\/[^\n]*|\/\*[^]{0,4000}?\*\/|\bb?r(#{0,16})"[^]{0,4000}?"\1|b?"(?:[^"\\]|\\[^]){0,4000}"|'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])'/g,
    },
  },
  fstar: {
    line: ["//"],
    block: [["(*", "*)"]],
    nests: true,
    doc: /^(?:\/\/\/|\(\*\*(?![*)]))/,
    module: /^module[ \t]+([\w.]+)[ \t\r]*$/m,
    path: "dots",
    declarations: {
      begins: new RegExp(
        String.raw`^${FSTAR_MODIFIERS}(?:let(?:\s+rec)?|and|val|type|effect|new_effect|layered_effect|sub_effect|class|instance|exception|assume|fn(?:\s+rec)?)\s+(?:([\p{L}_][\p{L}\p{N}_'.]*)|\(\s*([^\s\w()]{1,9})\s*\))?`,
        "u",
      ),
      ends: /^(?:module|open|include|friend|#\S+)(?!\w)/,
      leads: /^\[@|^(?:private|abstract|unfold|irreducible|noextract|inline_for_extraction|noeq|unopteq)[ \t\r]*$/,
    },
    keywords:
      "abstract admit and as assert assume attributes begin by calc class default effect eliminate else end ensures exception exists false " +
      "fn forall friend fun function ghost if in include inline inline_for_extraction instance introduce irreducible layered_effect let " +
      "logic match module new new_effect noeq noextract of opaque open private rec reflectable reifiable reify requires returns sub_effect " +
      "synth then total true try type unfold unfoldable unopteq val when with",
  },
  proverif: {
    ...ML_COMMENTS,
    // No comment is marked as documentation in some languages: the one above everything is.
    doc: /^\(\*/,
    path: "file",
    declarations: {
      begins:
        /^(?:(?:equation|query|process|axiom|lemma|restriction|noninterf|weaksecret|proof|equivalence)(?![\w'])|(?:free|const|type|fun|reduc[ \t]+forall\b[^;]{0,200};[\r\n]*|reduc|event|let|letfun|letproba|pred|table|channel|def|expand)[ \t]+([\p{L}_][\p{L}\p{N}_']*))/u,
      ends: /^(?:set|not|nounif|select|noselect|clauses|param)(?!\w)/,
    },
    keywords:
      "among axiom channel choice clauses const def diff do elimtrue else equation equivalence event expand fail for forall foreach free fun " +
      "get if implementation in inj-event insert lemma let letfun letproba new newOracle noninterf noselect not nounif or otherwise out param " +
      "phase pred private process proof public_vars putbegin query reduc restriction secret select set suchthat sync table then type weaksecret yield data typeConverter",
  },
  isabelle: {
    line: [],
    block: [
      ["(*", "*)"],
      ["text \\<open>", "\\<close>"],
      ["text ‹", "›"],
      ["text {*", "*}"],
    ],
    nests: true,
    title: /^(?:chapter|section)\s*(?:\\<open>|‹|\{\*|")\s*([^\n]{1,200}?)\s*(?:\\<close>|›|\*\}|")[ \t\r]*$/m,
    module: /^theory[ \t\r\n]+"?([\w.'-]+)/m,
    path: "capitals",
    declarations: {
      begins: new RegExp(
        String.raw`^(?:(?:private|qualified)\s+)?(?:${ISABELLE_STATEMENTS})(?![\w'])(?:\s*\([^)]{0,80}\))?\s*(?:'\w+\s+|\('[^)]{0,80}\)\s*)?(?:(?!(?:fixes|assumes|shows|includes|notes|obtains|defines|imports|begin)\b)([\p{L}_][\p{L}\p{N}_'.]*))?`,
        "u",
      ),
      ends: /^(?:theory|imports|begin|end|ML|declare|notation|no_notation|hide_const|export_code|code_\w+|unbundle|declaration|translations|syntax|subsubsection|paragraph)(?!\w)/,
      heading: /^(chapter|section|subsection|subsubsection)\s*(?:\\<open>|‹|\{\*|")\s*([^\n]{0,200}?)\s*(?:\\<close>|›|\*\}|")/,
      levels: ["chapter", "section", "subsection", "subsubsection"],
    },
    keywords:
      "abbreviation also and apply assume assumes axiomatization back begin bundle by case chapter class codatatype coinductive consts " +
      "context corollary datatype declare defer define defines definition defs done end export_code finally fix fixes for from fun function " +
      "global_interpretation have hence if imports in includes inductive inductive_set infix infixl infixr instance instantiation interpret " +
      "interpretation is keywords lemma lemmas let lift_definition locale method moreover named_theorems next no_notation note notes notation " +
      "obtain obtains oops overloading paragraph partial_function prefer presume primcorec primrec private proof proposition qed qualified " +
      "quotient_type record section show shows sorry structure sublocale subsection subsubsection subgoal supply termination text then " +
      "theorem theory thus type_synonym typedecl typedef ultimately unfolding unbundle uses using where with",
  },
  dafny: {
    ...C_COMMENTS,
    doc: /^\/\*\*(?!\/)/,
    path: "dots",
    declarations: {
      begins: new RegExp(
        String.raw`^[ \t]*${DAFNY_MODIFIERS}(?:method|lemma|function(?:[ \t]+by)?(?:[ \t]+method)?|predicate(?:[ \t]+method)?|class|trait|datatype|codatatype|newtype|type|const|var|constructor|iterator|module|colemma)(?![\w'])(?:[ \t]*\{:[^}\n]{0,80}\})?[ \t]*([\p{L}_][\p{L}\p{N}_'?.]*)?`,
        "u",
      ),
      holds: new RegExp(String.raw`^[ \t]*${DAFNY_MODIFIERS}(?:module|class|trait)(?!\w)(?:[ \t]*\{:[^}\n]{0,80}\})?[ \t]*([\w.']+)`),
      ends: /^[ \t]*(?:import|include)(?!\w)/,
    },
    keywords:
      "abstract allocated as assert assume break by calc case char class codatatype const constructor continue datatype decreases else ensures " +
      "exists expect export extends false for forall fresh function ghost greatest if imap import in include invariant iset iterator label " +
      "least lemma match method modifies modify module multiset new newtype null old opaque opened predicate print provides reads refines " +
      "requires return returns reveal reveals seq set static string then this trait true twostate type unchanged var where while witness yield yields",
  },
  agda: {
    line: ["--"],
    block: [["{-", "-}"]],
    nests: true,
    doc: /^(?:--|\{-(?!#))/,
    module: /^module[ \t]+([^\s(){};_][^\s(){};]*)/m,
    path: "capitals",
    declarations: {
      begins:
        /^[ \t]*(?:(?:data|record|pattern|syntax|postulate|primitive)[ \t]+([^\s(){};]+)|([^\s(){};@"=|.][^\s(){};@"]*)[ \t]+:[ \t\r\n])/,
      holds:
        /^[ \t]*(?:module[ \t]+([^\s(){};]+)[^\n]*\bwhere|private|abstract|mutual|instance|postulate|variable|interleaved mutual|opaque)[ \t\r]*$/,
      ends: /^[ \t]*(?:open|import|infix[lr]?|module)(?![\w-])/,
      heading: /^-{20,}\r?\n-- (?!The Agda)([^\n]{1,200})/,
    },
  },
  haskell: {
    line: ["--"],
    block: [["{-", "-}"]],
    nests: true,
    doc: /^(?:-- ?\||\{- ?\|)/,
    module: /^module[ \t]+([\w.']+)/m,
    path: "dots",
    declarations: {
      begins:
        /^(?:(?:data|newtype|type)(?:[ \t]+(?:family|instance))?[ \t]+(?:[^\n=]{0,200}=>[ \t]*)?([\w']+)|class[ \t]+(?:[^\n=]{0,200}=>[ \t]*)?([\w']+)|(?:instance|deriving)(?!\w)|pattern[ \t]+([\w']+)|foreign[ \t]+\w+[ \t]+[^\n]{0,100}"[ \t]*([\w']+)|([\p{Ll}_][\p{L}\p{N}_']*|\([^\s\w()]{1,9}\))(?:[ \t]*,[ \t]*[\p{Ll}_][\p{L}\p{N}_']*)*[ \t\r\n]+::|([\p{Ll}_][\p{L}\p{N}_']*)[\w \t'()[\],_:"@~!]*=(?!=))/u,
      ends: /^(?:module|import|infix[lr]?|default|#\s*\w+)(?!\w)/,
      leads: /^\{-#/,
      heading: /^-- (\*{1,4}) ([^\n]{1,200})/,
      levels: ["*", "**", "***", "****"],
    },
  },
  ocaml: {
    ...ML_COMMENTS,
    doc: ML_DOC,
    path: "dots",
    declarations: {
      begins:
        /^[ \t]*(?:let(?:[ \t]+rec)?|and|val|external|type(?:[ \t]+nonrec)?|exception|module(?:[ \t]+(?:type|rec))?|class(?:[ \t]+type)?|method)(?![\w'])(?:[ \t]*%\w+)?[ \t]+(?:'\w+[ \t]+|\([^)\n]{0,80}\)[ \t]*(?=[a-z]))?(?:([\p{L}_][\p{L}\p{N}_']*)|\([ \t]*([^\s\w()]{1,9})[ \t]*\))?/u,
      holds: /^[ \t]*module(?:[ \t]+(?:type|rec))?[ \t]+([\w']+)[^\n]*\b(?:struct|sig)[ \t\r]*$/,
      ends: /^[ \t]*(?:open|include)(?![\w'])|^#/,
      leads: /^[ \t]*\[@/,
      heading: /^\(\*\* *\{([1-4]) ([^\n}]{1,200})/,
      levels: ["1", "2", "3", "4"],
    },
  },
  why3: {
    ...ML_COMMENTS,
    doc: ML_DOC,
    path: "dots",
    declarations: {
      begins:
        /^[ \t]*(?:(?:let|val)(?:[ \t]+(?:rec|ghost|function|predicate|lemma|partial|cofunction))*|function|predicate|lemma|theorem|axiom|goal|type|constant|inductive|coinductive|exception|with|module|theory|scope)(?![\w'])[ \t]+(?:\([ \t]*([^\s\w()]{1,9})[ \t]*\)|([\p{L}_][\p{L}\p{N}_']*))?/u,
      holds: /^[ \t]*(?:module|theory|scope(?:[ \t]+import)?)[ \t]+([\w']+)/,
      ends: /^[ \t]*(?:use|clone|import|meta)(?![\w'])/,
      heading: /^\(\*\* *\{([1-4]) ([^\n}]{1,200})/,
      levels: ["1", "2", "3", "4"],
    },
    keywords:
      "abstract absurd alias any as assert assume at axiom begin break by check clone coinductive constant continue diverges do done downto " +
      "else end ensures epsilon exception exists export false float for forall fun function ghost goal if import in inductive invariant label " +
      "lemma let match meta module mutable not old partial predicate private pure raise raises range reads rec ref requires return returns " +
      "scope so then theorem theory to true try type use val variant while with writes",
  },
  easycrypt: {
    ...ML_COMMENTS,
    doc: ML_DOC,
    path: "dots",
    declarations: {
      begins:
        /^[ \t]*(?:(?:local|declare|nosmt|hoare|equiv|phoare|abstract)[ \t]+)*(?:lemma|axiom|op|pred|inductive|type|const|abbrev|module(?:[ \t]+type)?|theory|section|proc|clone|realize|instance|equiv|hoare|phoare)(?![\w'])[ \t]*(?:nosmt[ \t]+)?(?:\[[^\]\n]{0,80}\][ \t]*)?(?:\(([^\s\w()]{1,9})\)|([\p{L}_][\p{L}\p{N}_'.]*))?/u,
      holds:
        /^[ \t]*(?:(?:local|declare|abstract)[ \t]+)*(?:(?:module(?:[ \t]+type)?)[ \t]+([\w']+)[^\n]*\{|(?:theory|section)[ \t]+([\w']+)?)[ \t\r]*\.?[ \t\r]*$/,
      ends: /^[ \t]*(?:require|import|export|include|end|print|prover|timeout|hint)(?!\w)/,
    },
    keywords:
      "abbrev abort abstract apply as assert auto axiom axiomatized byequiv byphoare by bypr call case change clear clone const declare do done " +
      "elim else end equiv eta exact exfalso exists export fel forall from fun glob have hint hoare if import in include inductive inline " +
      "instance islossless lemma let local module move nosmt notation of op phoare pose pred proc prover proof qed realize remove rename " +
      "require res return rewrite rnd section seq sim skip smt sp split subst swap symmetry theory then timeout transitivity trivial type " +
      "undo unroll var while why3 with wp",
  },
  python: {
    line: ["#"],
    block: [
      ['"""', '"""'],
      ["'''", "'''"],
    ],
    doc: /^(?:"""|''')/,
    path: "dots",
    declarations: {
      begins: /^[ \t]*(?:async[ \t]+)?def[ \t]+([\p{L}_][\p{L}\p{N}_]*)/u,
      holds: /^[ \t]*class[ \t]+([\p{L}_][\p{L}\p{N}_]*)/u,
      ends: /^[ \t]*[^\s#)\]}"']/,
      leads: /^[ \t]*@\w/,
    },
  },
  c: {
    ...C_COMMENTS,
    path: "file",
    declarations: {
      begins:
        /^(?:#[ \t]*define[ \t]+(\w+)|(?:typedef[ \t]+)?(?:struct|union|enum)[ \t]+(\w+)[ \t]*(?:\{|\r?\n|$)|typedef\b[^;{\n]*\b(\w+)[ \t]*;|(?!(?:if|for|while|switch|return|else|do|sizeof|typedef|case)\b)(?:[A-Za-z_]\w*[ \t*]+)*([A-Za-z_]\w*)[ \t]*\()/,
      ends: /^#[ \t]*include\b/,
      leads: /^(?!(?:else|do|break|return)\b)[A-Za-z_][\w \t*]*\r?$/,
    },
  },
  cpp: {
    ...C_COMMENTS,
    path: "file",
    declarations: {
      begins: new RegExp(
        String.raw`^[ \t]*(?:#[ \t]*define[ \t]+(\w+)|(?:enum(?:[ \t]+(?:class|struct))?|union)[ \t]+(\w+)|using[ \t]+(\w+)[ \t]*=|typedef\b[^;{\n]{0,200}\b(\w+)[ \t]*;|${NO_CALL}(?!(?:asm|decltype|static_assert|alignas|[A-Z_\d]+)\b[ \t]*\()(?:[\w:<>,*&~]+[ \t]+[*&]{0,2}){0,6}((?:\w{1,100}(?:<[^>\n]{0,80}>)?::){0,4}~?\w+)[ \t]*\()`,
      ),
      holds:
        /^[ \t]*(?:inline[ \t]+|template[ \t]*<[^>\n]{0,200}>[ \t]*)?(?:class|struct)[ \t]+(?:[A-Z_]+_(?:EXPORT|API)[ \t]+)?([\w:]+)(?![^{\n]{0,200};)/,
      ends: /^[ \t]*(?:#[ \t]*(?:include|if|ifdef|ifndef|endif|else|pragma)\b|(?:public|private|protected)[ \t]*:|using[ \t]+namespace\b)/,
      leads: /^[ \t]*(?:template[ \t]*<|\[\[)/,
      // The content of a namespace stands no deeper than the namespace.
      heading: /^(?:inline[ \t]+)?namespace[ \t]+([\w:]+)/,
    },
  },
  java: {
    ...C_COMMENTS,
    path: "dots",
    declarations: {
      begins: new RegExp(
        String.raw`^[ \t]*(?:${JAVA_MODIFIERS}(?:enum|record|@interface)[ \t]+(\w+)|${NO_CALL}${JAVA_MODIFIERS}(?:<[^>\n]{0,100}>[ \t]+)?(?:[\w.<>[\],?]+[ \t]+){0,4}(\w+)[ \t]*\()`,
      ),
      holds: new RegExp(String.raw`^[ \t]*${JAVA_MODIFIERS}(?:class|interface)[ \t]+(\w+)`),
      ends: /^[ \t]*(?:import|package)\b/,
      leads: /^[ \t]*@\w/,
    },
  },
  javascript: SCRIPT,
  typescript: SCRIPT,
  go: {
    ...C_COMMENTS,
    path: "file",
    declarations: {
      begins: /^(?:func[ \t]+(?:\([^)\n]{0,100}\)[ \t]*)?(\w+)|(?:type|var|const)[ \t]+(\w+))/,
      ends: /^(?:import|package|type|var|const)\b/,
    },
  },
  tla: {
    line: ["\\*"],
    block: [["(*", "*)"]],
    nests: true,
    doc: /^\(\*/,
    module: /^-{4,}[ \t]*MODULE[ \t]+(\w+)/m,
    path: "dots",
    declarations: {
      begins:
        /^(?:(?:THEOREM|LEMMA|COROLLARY|PROPOSITION|ASSUME|AXIOM|ASSUMPTION)(?!\w)(?:[ \t\r\n]+(\w+)[ \t]*==)?|(?:LOCAL[ \t]+)?(\w+)(?:\([^)\n]{0,200}\)|\[[^\]\n]{0,200}\])?[ \t\r\n]*==)/,
      ends: /^(?:EXTENDS|CONSTANTS?|VARIABLES?|INSTANCE|RECURSIVE|USE|HIDE|-{4,}|={4,})/,
    },
    keywords:
      "ACTION ASSUME ASSUMPTION AXIOM BY BOOLEAN CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS " +
      "FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE " +
      "SF_ STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH WITNESS",
  },
  smtlib: {
    line: [";"],
    block: [],
    doc: /^;/,
    path: "file",
    declarations: {
      begins: /^\((?:declare|define)-(?:fun|const|sort|fun-rec|datatype|datatypes|funs-rec)[ \t\r\n]+[( \t]*(\|[^|\n]{1,100}\||[^\s()|]+)/,
      ends: /^\((?:assert|check-sat|set-|get-|push|pop|exit|reset|echo)/,
    },
    keywords:
      "as assert assert-soft check-sat check-sat-assuming declare-const declare-datatype declare-datatypes declare-fun declare-sort define-const " +
      "define-fun define-fun-rec define-funs-rec define-sort distinct echo exists exit false forall get-assertions get-info get-model get-proof " +
      "get-unsat-core get-value ite let match maximize minimize par pop push reset set-info set-logic set-option true and or not xor",
  },
  metamath: {
    line: [],
    block: [["$(", "$)"]],
    doc: /^\$\(/,
    path: "file",
    declarations: {
      begins: /^[ \t]*([\w.-]+)[ \t\r\n]+\$[ap][ \t\r\n]/,
      ends: /^[ \t]*\$[{}cvd]/,
      heading: /^[ \t]*\$\([ \t\r]*\n[ \t]*(#\*|##|=-|-\.)[^\n]{10,}\n[ \t]*([^\n]{1,200})/,
      levels: ["##", "#*", "=-", "-."],
    },
    keywords: "$a $c $d $e $f $p $v $. $= ${ $} $[ $]",
  },
};
