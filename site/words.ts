/** Words for the meaning of every state, from this one place. Shape, word and colour always come together (never colour alone). Values come from
 *  registries nobody here controls: an unknown one is shown as it is and said to be unknown. */
import type { NameReason } from "#snapshots/query";
import { kindWords, LOST, SAID, standingWord, USE_WORDS } from "#snapshots/format";
import { KINDS } from "#snapshots/schema";

type Shape = "verified" | "partial" | "said" | "defined" | "unverified" | "failed" | "unspecified";

export type StateWords = { readonly shape: Shape; readonly word: string; readonly meaning: string };

export type StateField =
  | "standing"
  | "claim_standing"
  | "verification_state"
  | "invocation"
  | "production_consumption"
  | "proof_consumption"
  | "wiring"
  | "access"
  | "evidence_state"
  | "statement_state"
  | "check_state"
  | "visibility"
  | "agreement";

/** The sign and the meaning of a standing that has a "but". */
const DOUBTED: readonly (readonly [ending: string, shape: Shape, meaning: string])[] = [
  [SAID, "said", "its source says so, and nothing that was checked here bears it out"],
  [LOST, "failed", "what it pins or rests on is not what it was when that was said"],
];

const words = (shape: Shape, word: string, meaning: string): StateWords => ({ shape, word, meaning });
const use = (state: string, shape: Shape, meaning: string): StateWords => words(shape, USE_WORDS[state] ?? state, meaning);

const WORDS: Readonly<Record<StateField, Readonly<Record<string, StateWords>>>> = {
  standing: {
    verified: words("verified", "verified", "a prover accepted the proof, whoever says so signed it, and its files are the pinned ones"),
    proved_outside: words(
      "partial",
      standingWord("proved_outside"),
      "a prover accepted the proof, and it rests on more than is allowed here",
    ),
    recalled: words(
      "partial",
      standingWord("recalled"),
      "a prover accepted the proof, and that version is known to accept what does not hold: this proof may use its hole",
    ),
    exported: words("said", standingWord("exported"), "whoever wrote it out says that it is a proof, and no kernel has looked"),
    defined: words("defined", "defined", "it defines something; there is nothing to prove"),
    assumed: words("defined", "assumed", "it is an axiom: nobody proves it"),
    not_verified: words("unverified", "not verified", "nothing that was said or checked of it suffices to call it proved"),
    unspecified: words("unspecified", "unspecified", "nobody says whether it is proved, or what was said does not tell"),
  },
  claim_standing: {
    verified: words("verified", "verified", "the evidence covers the whole statement"),
    scoped: words("partial", "scoped", "the evidence covers the statement inside the scope given, and nothing outside it"),
    partial: words("partial", "partial", "the evidence covers a part; the gaps say what is missing"),
  },
  verification_state: {
    VERIFIED: words("said", "verified", "the registry says that a proof checker accepted the proof"),
    NOT_VERIFIED: words("unverified", "not verified", "the registry does not call it proved"),
    UNSPECIFIED: words("unspecified", "unspecified", "the registry does not say whether it is proved"),
  },
  invocation: {
    runtime: words("verified", "runtime", "called by code that ships"),
    "test-only": words("partial", "test only", "called by tests, not by code that ships"),
    dead: words("unverified", "dead", "the code is there, and nothing calls it"),
    unwired: words("unverified", "unwired", "not connected to any code that runs"),
  },
  production_consumption: {
    "NOT-RUNTIME-CONSUMED": use("NOT-RUNTIME-CONSUMED", "unverified", "no running system uses its code or its proof"),
    "EXECUTABLE-RUNTIME": use("EXECUTABLE-RUNTIME", "verified", "the executable counterpart runs in production"),
    "PROOF-ARTIFACT-RUNTIME": use("PROOF-ARTIFACT-RUNTIME", "verified", "a running system reads the proof artefact itself"),
    "EXECUTABLE-AND-PROOF-ARTIFACT": use(
      "EXECUTABLE-AND-PROOF-ARTIFACT",
      "verified",
      "its code runs in production, and a running system reads its proof",
    ),
  },
  proof_consumption: {
    "": words("unspecified", "none recorded", "no consumer of the proof is recorded"),
    "RUNTIME-CONSUMER-WIRED": words("verified", "consumer wired", "a consumer that runs in production is connected to the proof"),
  },
  wiring: {
    "FUNCTION-IMPL": words("verified", "function", "tied to the function that implements it"),
    "DOC-REFERENCE": words("partial", "reference", "named in the documentation of the code, not by the code itself"),
    "CSV-LEGACY": words("unverified", "table entry", "tied to code only by an older table of the registry"),
  },
  access: {
    public: words("verified", "public", "anyone can download it"),
    "email-gated": words("partial", "email-gated", "an authorized address can download it"),
    private: words("unverified", "private", "it cannot be downloaded here; its digest lets you recognise it"),
  },
  check_state: {
    accepted: words("verified", "accepted", "a prover accepted it, and it rests on no axiom"),
    accepted_with_axioms: words("partial", "accepted, with axioms", "a prover accepted it, and it rests on axioms"),
    agrees: words("verified", "agrees", "a second checker looked over the files that the prover accepted, and agrees"),
    exported: words("said", "exported, not replayed", "it was written out, and no kernel has looked whether it is a proof"),
    holes: words("unverified", "open", "it rests on something that nobody has proved"),
    rejected: words("failed", "refused", "a prover refused its file"),
    timeout: words("unspecified", "no end in time", "the prover came to no end within the limits"),
    memory: words("unspecified", "out of memory", "the prover needed more memory than it was given"),
    environment: words("unspecified", "could not be run", "a tool, a library or an option is missing; that says nothing of the proof"),
    unsupported: words("unspecified", "could not be asked", "the prover has nothing that can be asked by this name"),
    not_run: words("unspecified", "not run", "nobody has asked this prover here"),
    disagrees: words("failed", "contradicted", "a second checker contradicts the prover, so that nothing is verified"),
    stale: words("unverified", "of an older revision", "the prover was asked of other bytes than these"),
  },
  evidence_state: {
    holds: words("verified", "holds", "what is there has exactly the pinned digest"),
    differs: words("failed", "differs", "what is there is not what was pinned"),
    gone: words("failed", "gone", "it was pinned, and is not there any more"),
    unpinned: words("unspecified", "not pinned", "no digest says what it has to be"),
    unreachable: words("unspecified", "not looked at", "this library could not look at it when it was built"),
  },
  statement_state: {
    same: words("verified", "declared", "its pinned file declares it in these words, but for spaces and signs with two spellings"),
    differs: words("failed", "differs", "its pinned file declares another statement under its name"),
    open: words("failed", "open", "its pinned file leaves its proof open"),
    not_found: words("unspecified", "not found", "no declaration of its name was found in its pinned files"),
  },
  visibility: {
    public: words("verified", "public", "everyone can read this collection"),
    "email-gated": words("partial", "email-gated", "only authorized addresses can read this collection"),
  },
  agreement: {
    agrees: words("verified", "agrees", "the declared count is the counted one"),
    differs: words("failed", "differs", "the declared count is not the counted one"),
    undeclared: words("unspecified", "not declared", "the registry says nothing about this count"),
    uncounted: words("unspecified", "not counted", "this count cannot be made from the records"),
  },
};

/** explain gives shape, word and meaning of one value; for a value that is not known, its own text. */
export function explain(field: StateField, value: string): StateWords {
  const known = Object.hasOwn(WORDS[field], value) ? WORDS[field][value] : undefined;
  if (known !== undefined) return known;
  const isStanding = field === "standing" || field === "claim_standing";
  const doubted = isStanding ? DOUBTED.find(([ending]) => value.endsWith(ending)) : undefined;
  if (doubted !== undefined) return words(doubted[1], standingWord(value), doubted[2]);
  if (value === "") return words("unspecified", "unspecified", "the registry does not say");
  return words(
    "unspecified",
    isStanding ? standingWord(value) : value,
    "a value this library does not know, shown as the registry gives it",
  );
}

const FIELD_TITLES: Readonly<Record<string, string>> = {
  standing: "State",
  axiom: "Rests on",
  prover: "Prover",
  verification_state: "Said by the registry",
  evidence_state: "Its files",
  statement_state: "Its statement",
  invocation: "Called",
  invocation_role: "Role of the call",
  production_consumption: "In production",
  proof_consumption: "Use of the proof",
  wiring: "Tie to code",
  repo: "Repository",
  license: "Licence",
  status: "Registry status",
  crate: "Crate",
  use_case: "Use case",
  use_cases: "Use cases",
  formal_systems: "Proof systems",
  kernels: "Kernels",
  proof_scope: "Scope of the proof",
  deployable: "Deployable",
  lane: "Lane",
  tier: "Tier",
  kind: "Kind",
  collection: "Collection",
  module: "File",
  no_holes: "Free of holes",
  riscv: "RISC-V",
  lineage: "Lineage, as its author says",
  readiness: "Readiness",
  proof_bundle_id: "Proof bundle",
  active: "Active",
  source_class: "Source class",
};

/** titleOfCounter titles a counter that a registry declares: what the registry calls verified is not held against anything there. */
export function titleOfCounter(name: string): string {
  return name.startsWith("verified_") ? `Said to be verified: ${name.slice("verified_".length).replaceAll("_", " ")}` : titleOfField(name);
}

export function titleOfField(name: string): string {
  return Object.hasOwn(FIELD_TITLES, name)
    ? (FIELD_TITLES[name] ?? name)
    : name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}

/** wordOfValue gives the word of a field's value, as a filter names it. */
export function wordOfValue(name: string, value: string): string {
  if (isStateField(name)) return explain(name, value).word;
  if (name === "axiom") return value.split(".").at(-1) ?? value;
  if (value === "") return name === "license" ? "not stated" : "none";
  const isCode = CODED.has(name) && /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*$/.test(value);
  const word = isCode ? value.toLowerCase().replaceAll(/[_-]/g, " ") : value;
  return name === "kind" ? kindWords({ kind: word }) : AUTHORED.has(name) ? `“${word}”` : word;
}

/** Fields whose values are words of an author. */
const AUTHORED: ReadonlySet<string> = new Set(["lineage", "use_case", "use_cases"]);

/** Fields whose values registries write as constants: "VERIFIED_EXACT" is said as "verified exact". */
const CODED: ReadonlySet<string> = new Set(["status", "source_class", "proof_scope", "tier", "lane", "kind", "invocation_role"]);

export function isStateField(name: string): name is StateField {
  return Object.hasOwn(WORDS, name);
}

const LANGUAGE_TITLES: Readonly<Record<string, string>> = {
  agda: "Agda",
  c: "C",
  coq: "Coq",
  dafny: "Dafny",
  easycrypt: "EasyCrypt",
  fstar: "F*",
  haskell: "Haskell",
  isabelle: "Isabelle",
  latex: "LaTeX",
  lean: "Lean",
  metamath: "Metamath",
  ocaml: "OCaml",
  proverif: "ProVerif",
  python: "Python",
  rust: "Rust",
  smtlib: "SMT-LIB",
  tla: "TLA+",
  why3: "Why3",
};

/** Commands that check proofs or compile code, and what each belongs to. */
const TOOLS: Readonly<Record<string, string>> = {
  agda: "Agda",
  cargo: "Rust",
  coqc: "Coq",
  dafny: "Dafny",
  isabelle: "Isabelle",
  lake: "Lean",
  lean: "Lean",
  rocq: "Rocq",
  rustc: "Rust",
  verus: "Verus",
  why3: "Why3",
};

/** toolsOf lists the programs that a command needs and not every machine has: "Coq (coqc)". */
export function toolsOf(command: string): readonly string[] {
  const named = new Set(command.match(/(?<![\w./-])[a-z0-9]+(?=\s)/g));
  return [...named].flatMap((name) => (Object.hasOwn(TOOLS, name) ? [`${TOOLS[name]} (${name})`] : []));
}

/** titleOfKind gives "Coq" for code in a known language, else the kind's name. */
export function titleOfKind(kind: string, language: string | null = null): string {
  if (kind === "code" && language !== null) return LANGUAGE_TITLES[language] ?? language;
  if (kind === "collection") return "Collection";
  return Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].title : kind;
}

/** titleOfPart names what the number of a part of an object counts. Only a PDF has pages; of what else has parts the ending tells. */
export function titleOfPart(key: string): "page" | "cell" {
  return /\.ipynb$/i.test(key) ? KINDS.notebook.lines : KINDS.pdf.lines;
}

export function explainMode(mode: "ai" | "search", model: string | null, counted: number, finding: string | null, quotes: number): string {
  const found = finding === "none" ? "Not here." : finding === "nearest" ? "No answer, but what is nearest to it." : "Answered.";
  if (mode === "ai")
    return `${found} Written by ${model ?? "a model"}; each sentence is checked against a quote${counted > 0 ? ", each number was counted in this snapshot" : ""}.`;
  const how = counted > 0 ? "Counted in this snapshot" : quotes > 0 ? "Quoted from the library" : "Looked up in this snapshot";
  return `${found} ${how}; no model wrote this.`;
}

export function explainExact(exact: NameReason): string {
  if (exact === "digest") return "first, because your words are its digest, or begin it";
  const what = { key: "key", id: "id", name: "declared name", title: "title" }[exact];
  return `first, because your words are exactly its ${what}`;
}
