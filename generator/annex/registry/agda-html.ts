/** Readers of the pages of `agda --html`, which give for a module: each name with its class and where what it means is declared. From that follows
 *  what a declaration rests on, as far as words say it; where something may come in unsaid, all that is there is named. */

type Token = {
  readonly text: string;
  readonly class: string;
  readonly target: string | null;
  readonly at: string;
  readonly line: number;
  readonly column: number;
};
/** AgdaSite is a declaration, with what its signature and its clauses name. */
export type AgdaSite = {
  readonly at: string;
  readonly text: string;
  readonly class: string;
  readonly line: number;
  readonly statement: Set<string>;
  readonly proof: Set<string>;
  /** All of it that is no comment, as words. */
  readonly whole: string[];
  /** Words of the signature, and where what they mean is declared, which is null of a number: each pair once. */
  readonly words: Map<string, readonly [word: string, target: string | null]>;
  /** Something may be in it that no word of it names. */
  hidden: boolean;
  /** Something may be handed to it where it is used that no word there names. */
  takes: boolean;
  /** A number or a string stands in it. */
  literal: boolean;
  /** The record whose part it is; null of others. */
  readonly record: string | null;
};
export type AgdaModule = {
  readonly sites: ReadonlyMap<string, AgdaSite>;
  /** Names in headers and applied modules: whatever is declared after them may rest on these. */
  readonly wide: ReadonlySet<string>;
  readonly imports: ReadonlySet<string>;
  /** Names that `renaming` and `pattern` give, by where they stand, and what they are given to. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Checks that keep proofs sound and that were switched off, each with its line. */
  readonly unsafe: readonly string[];
  /** It says itself that it is safe. */
  readonly safe: boolean;
  /** Where it says what numbers and strings mean. */
  readonly literals: number | null;
  /** Records whose parts are taken of an instance that nobody names: `open R ⦃ ... ⦄`. */
  readonly opened: ReadonlySet<string>;
};

/** SEVERAL begins the target of a name that several constructors have. */
export const SEVERAL = "?";
const TOKEN = /<a id="(\d+)"(?: href="([^"]+)")?(?: class="([^"]*)")?>([^<]*)<\/a>|<[^>]*>|[^<]+/g;
const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
/** A module that imports one of these may say by an instance what a literal is. */
const LITERALS = /^Agda\.Builtin\.From(?:Nat|Neg|String)$/;
const BLOCKS = /^(?:module|private|abstract|mutual|instance|macro|opaque|interleaved|postulate|primitive|variable)$/;
/** Words that mean more than they say: Agda looks for something, or makes it, that stands nowhere in the text. */
const HIDDEN = /^(?:do|quote|quoteTerm|quoteContext|unquote|unquoteDecl|unquoteDef|tactic|macro|instance)$/;
/** Brackets, which stand in one word with signs beside them. */
const INSTANCE = /⦃|\{\{|⦇|\(\||^@?tactic$/;
const UNSAFE_PRAGMAS =
  /^(?:TERMINATING|NON_TERMINATING|NO_TERMINATION_CHECK|NO_POSITIVITY_CHECK|NO_UNIVERSE_CHECK|NON_COVERING|REWRITE|POLARITY|INJECTIVE)$/;
const UNSAFE_OPTIONS =
  /^--(?:type-in-type|omega-in-omega|no-(?:termination-check|positivity-check|coverage-check|sort-comparison)|injective-type-constructors|allow-(?:unsolved-metas|incomplete-matches|exec)|rewriting|sized-types|experimental-irrelevance|irrelevant-projections|cumulativity|guardedness-preserving\S*)$/;
/** Modules that are a part of Agda: what they postulate and switch off is Agda itself. */
const OWN = /^Agda\.(?:Builtin|Primitive)(?:\.|$)/;
const DECLARED =
  /^(?:Function|Postulate|Datatype|Record|Field|Macro|Primitive|PrimitiveType|InductiveConstructor|CoinductiveConstructor|Generalizable)\b/;

/** readAgdaHtml reads the page of one module. @param name of the module, as its file is called */
export function readAgdaHtml(name: string, html: string): AgdaModule {
  const sites = new Map<string, AgdaSite>();
  const wide = new Set<string>();
  const imports = new Set<string>();
  const renamed = new Map<string, string>();
  const unsafe: string[] = [];
  let safe = false;
  let literals: number | null = null;
  const opened = new Set<string>();
  let isWrapped = false;
  let holders: AgdaSite[] = [];
  for (const chunk of chunksOf(tokensOf(html))) {
    const [first] = chunk;
    const words = chunk.map(({ text }) => text);
    for (const [at, { text, class: kind, target, line }] of chunk.entries()) {
      if (kind === "Module" && target !== null && words.includes("import")) {
        imports.add(fileOf(target));
        if (LITERALS.test(fileOf(target))) literals = line;
      }
      if (words[at - 1] === "BUILTIN" && /^(?:FROM(?:NAT|NEG|STRING)|NATURAL|STRING|CHAR)$/.test(text)) literals = line;
      if (kind === "Pragma" || (kind === "Keyword" && words[at - 1] === "{-#") || UNSAFE_OPTIONS.test(text)) {
        safe ||= text === "--safe";
        if (UNSAFE_PRAGMAS.test(text) || UNSAFE_OPTIONS.test(text)) unsafe.push(`${name}:${line} ${text}`);
      }
    }
    const declared = chunk.filter(({ target, at, class: kind }) => target === `${name}.html#${at}` && DECLARED.test(kind));
    const hasInstance = words.some((text) => INSTANCE.test(text));
    const hasLiteral = chunk.some(({ target, class: kind }) => target === null && /^(?:Number|String)$/.test(kind));
    for (const { at, text, class: kind, line } of declared)
      sites.set(at, {
        at,
        text,
        class: kind.split(" ")[0] ?? "",
        line,
        statement: new Set(),
        proof: new Set(),
        whole: [],
        words: new Map(),
        hidden: false,
        takes: isWrapped || hasInstance,
        literal: false,
        record: first?.text === "record" ? (declared[0]?.target ?? null) : null,
      });
    const isHeader = first?.class === "Keyword" && /^(?:module|open|import)$/.test(first.text);
    // In a signature a `let`, a record or a module may have one: it begins no clause.
    const colon = first?.text === "record" ? 0 : Math.max(0, words.indexOf(":"));
    const isSignature = chunk.slice(0, colon).some((token) => declared.includes(token));
    const equals = words.findIndex((text, at) => /^(?:=|with|rewrite)$/.test(text) && !(isSignature && at > colon));
    if (isHeader && hasInstance) {
      // All that is declared below takes it; all that is opened takes one wherever a part of it is used.
      isWrapped ||= first.text === "module" && equals < 0;
      for (const { target } of chunk) if (target !== null) opened.add(target);
    }
    const ofChunk = declared.flatMap(({ at }) => sites.get(at) ?? []);
    const isSeveral = hasSeveral(chunk);
    if (isSeveral) holders = [...new Set(chunk.flatMap(({ target }) => sites.get(siteOf(name, target ?? "")) ?? []))];
    else if (isHeader) holders = [];
    else if (first?.text === "...") holders = [...new Set([...holders, ...ofChunk])];
    else if (declared.length > 0) holders = ofChunk;
    if (!isHeader && !isSeveral && first?.text !== "...") {
      // A clause names what it is of on its left side.
      const left = chunk
        .slice(0, equals < 0 ? chunk.length : equals)
        .flatMap(({ target }) => (target === null ? [] : (sites.get(siteOf(name, target)) ?? [])));
      const functions = left.filter((site) => site.class === "Function" || site.class === "Macro");
      if (equals >= 0 && functions.length > 0)
        holders = [...new Set([...functions, ...holders.filter(({ at }) => declared.some((one) => one.at === at))])];
    }
    const hidden = hasInstance || words.some((text) => HIDDEN.test(text));
    const isClause = equals >= 0;
    for (const [at, { text, at: here }] of chunk.entries()) {
      const old = chunk[at - 2]?.target;
      if (words[at - 1] === "to" && old != null && text !== "") renamed.set(here, old);
    }
    // A pattern is another name of what it begins with.
    const meant = first?.text === "pattern" && equals >= 0 ? chunk.slice(equals).find(({ target }) => target !== null)?.target : null;
    if (meant != null) renamed.set(chunk[1]?.at ?? "", meant);
    const listed = words.findIndex((text) => /^(?:using|hiding|renaming)$/.test(text));
    for (const [at, { text, target, class: kind }] of chunk.entries()) {
      if (!isHeader && !isClause && (target !== null || /^(?:Number|String)$/.test(kind)))
        for (const holder of holders) if (target !== `${name}.html#${holder.at}`) holder.words.set(`${text} ${target}`, [text, target]);
      if (target === null || kind.startsWith("Bound")) continue;
      if (isHeader || holders.length === 0) {
        if (isSeveral || listed < 0 || at < listed) wide.add(target);
      }
      if (kind !== "Module" && kind !== "Argument")
        for (const holder of holders) if (target !== `${name}.html#${holder.at}`) (isClause ? holder.proof : holder.statement).add(target);
    }
    for (const holder of holders) {
      if (!isHeader) holder.whole.push(...words, "\n");
      holder.hidden ||= hidden;
      holder.literal ||= hasLiteral;
    }
  }
  return { sites, wide, imports, renamed, unsafe, safe, literals, opened };
}

/** hasSeveral holds where a `;` parts declarations, or what is in a block of one: then each name there may be of each of them. */
function hasSeveral(chunk: readonly Token[]): boolean {
  let depth = 0;
  for (const { text, class: kind } of chunk)
    for (const sign of kind === "Symbol" ? text : "") {
      if (sign === ";" && depth === 0) return true;
      depth += "({⦃⦇".includes(sign) ? 1 : ")}⦄⦈".includes(sign) ? -1 : 0;
    }
  return false;
}

function tokensOf(html: string): Token[] {
  const body = /<pre class="Agda">([^]*)<\/pre>/.exec(html)?.[1] ?? "";
  const tokens: Token[] = [];
  let line = 1;
  let column = 0;
  const pass = (text: string): void => {
    for (const letter of text)
      if (letter === "\n") {
        line++;
        column = 0;
      } else column++;
  };
  for (const [whole, at, target, kind = "", inner = ""] of body.matchAll(TOKEN)) {
    if (at !== undefined) {
      const text = inner.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
      // A comment is no token: only the place that it takes counts.
      if (kind !== "Comment" && kind !== "Background")
        tokens.push({ text, class: kind, target: target === undefined ? unlinked(text, kind) : decode(target), at, line, column });
      pass(text);
    } else if (!whole.startsWith("<")) pass(whole);
  }
  return tokens;
}

/** A constructor that several have is a link to none of them. */
function unlinked(text: string, kind: string): string | null {
  return kind.startsWith("InductiveConstructor") ? SEVERAL + text : null;
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target.replaceAll("&amp;", "&").replaceAll("&#39;", "'"));
  } catch {
    return target;
  }
}

/** As the columns have it: what begins no deeper than what is before begins something of its own. */
function* chunksOf(tokens: readonly Token[]): Generator<readonly Token[]> {
  let chunk: Token[] = [];
  let base = Number.POSITIVE_INFINITY;
  let line = 0;
  for (const token of tokens) {
    const begins = token.line !== line && token.column <= base;
    line = token.line;
    if (begins) {
      if (chunk.length > 0) yield chunk;
      chunk = [];
      base = token.class === "Keyword" && BLOCKS.test(token.text) ? Number.POSITIVE_INFINITY : token.column;
    }
    chunk.push(token);
  }
  if (chunk.length > 0) yield chunk;
}

function fileOf(target: string): string {
  return target.replace(/\.html(?:#.*)?$/, "");
}

function siteOf(name: string, target: string): string {
  return target.startsWith(`${name}.html#`) ? target.slice(name.length + 6) : "";
}

export type Rests = { readonly names: readonly string[]; readonly unsafe: readonly string[]; readonly exact: boolean };

/** openRests follows names through the modules of a run. @param nameAt the full name of a postulate */
export function openRests(modules: ReadonlyMap<string, AgdaModule>, nameAt: (module: string, site: AgdaSite) => string) {
  const siteAt = (named: string): readonly [string, AgdaSite] | null => {
    let target = named;
    for (const seen = new Set<string>(); !seen.has(target); ) {
      seen.add(target);
      target = modules.get(fileOf(target))?.renamed.get(target.slice(target.indexOf("#") + 1)) ?? target;
    }
    const module = fileOf(target);
    const site = modules.get(module)?.sites.get(target.slice(target.indexOf("#") + 1));
    return site === undefined ? null : [module, site];
  };
  const closure = (module: string): string[] => {
    const seen = new Set([module]);
    for (const one of seen) for (const other of modules.get(one)?.imports ?? []) seen.add(other);
    return [...seen];
  };
  /** Agda's own are no axioms of anybody, but for the one that makes any two things equal. */
  const isAxiom = (module: string, { class: kind, text }: AgdaSite): boolean =>
    OWN.test(module) ? /^primTrustMe$/.test(text) : kind === "Postulate";
  const follow = (starts: readonly string[], within: readonly string[]): { names: Set<string>; hidden: boolean } => {
    const seen = new Set(starts);
    const names = new Set<string>();
    const opened = new Set(within.flatMap((one) => [...(modules.get(one)?.opened ?? [])]));
    const hasLiterals = within.some((one) => !OWN.test(one) && modules.get(one)?.literals != null);
    /** A generalised variable is taken by whoever names it. */
    const takes = (target: string, deep = true): boolean => {
      if (target.startsWith(SEVERAL))
        return within.some((one) =>
          [...(modules.get(one)?.sites.values() ?? [])].some(
            (site) => site.takes && site.class.endsWith("Constructor") && [site.text, ...site.text.split("_")].includes(target.slice(1)),
          ),
        );
      const [, site] = siteAt(target) ?? [];
      if (site === undefined) return true;
      const isTaken = site.takes || site.class === "Macro" || opened.has(site.record ?? "");
      return isTaken || (deep && [...site.statement].some((other) => siteAt(other)?.[1].class === "Generalizable" && takes(other, false)));
    };
    let hidden = false;
    for (const target of seen) {
      const found = siteAt(target);
      if (found === null) continue;
      const [module, site] = found;
      if (isAxiom(module, site)) names.add(nameAt(module, site));
      const others = [...site.statement, ...site.proof];
      hidden ||=
        modules.get(module)?.safe !== true && (site.hidden || (hasLiterals && site.literal) || others.some((other) => takes(other)));
      for (const other of others) seen.add(other);
    }
    return { names, hidden };
  };
  const axiomsOf = (module: string): string[] =>
    closure(module).flatMap((one) =>
      [...(modules.get(one)?.sites.values() ?? [])].filter((site) => isAxiom(one, site)).map((site) => nameAt(one, site)),
    );
  const unsafeOf = (within: readonly string[]): string[] =>
    within.flatMap((one) => (OWN.test(one) ? [] : (modules.get(one)?.unsafe ?? [])));
  return {
    closure,
    siteAt,
    /** Pragmas that switch a check off; in an `interleaved mutual` block --safe lets them pass. */
    pragmasOf: (module: string): string[] => unsafeOf(closure(module)).filter((what) => !what.includes(" --")),
    hasAxioms: (module: string): boolean => axiomsOf(module).length > 0,
    nameOf(target: string): string | null {
      const found = siteAt(target);
      return found === null ? null : nameAt(...found);
    },
    of(module: string, site: AgdaSite): Rests {
      const within = closure(module);
      const wide = within.flatMap((one) =>
        [...(modules.get(one)?.wide ?? [])].filter((target) => modules.get(fileOf(target))?.safe !== true),
      );
      const unsafe = unsafeOf(within);
      const named = follow([`${module}.html#${site.at}`], within);
      const { names, hidden } = follow([`${module}.html#${site.at}`, ...wide], within);
      if (!hidden) return { names: [...names].sort(), unsafe, exact: names.size === named.names.size };
      // Something may be used that no word names: at most all that there is.
      return { names: [...new Set(axiomsOf(module))].sort(), unsafe, exact: false };
    },
  };
}
