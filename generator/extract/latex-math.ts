/** Formulas of LaTeX and the commands that a file defines for itself. KaTeX gets formulas without these: they are filled in here, within bounds. */
import { pairs } from "#snapshots/blocks";

/** Environments of formulas, with those that KaTeX has for them; it needs none for a single formula. */
const ENVIRONMENTS = new Map([
  ...["equation", "displaymath", "math", "dmath"].map((name) => [name, ""] as const),
  ...pairs("align=align alignat=alignat flalign=align gather=gather multline=gather eqnarray=align"),
]);
const MAX_BODY = 4000; // UTF-16 units of what a command stands for
const MAX_FORMULA = 4000; // UTF-16 units of a formula with its commands filled in
const MAX_MACROS = 2000;
const MAX_FILLED = 400_000; // UTF-16 units that all commands of a file become
const MAX_DEPTH = 12; // commands that call one another
/** Commands that mean something to every reader, whatever a file makes of them. */
const KEPT = new Set(
  "begin end item section chapter subsection label ref cite input include footnote title author date caption par left right frac text".split(
    " ",
  ),
);

type Macro = { readonly count: number; readonly usual: string | null; readonly body: string };

export class LatexMath {
  readonly #macros = new Map<string, Macro>();
  #left = MAX_FILLED;

  static isEnvironment(name: string): boolean {
    return ENVIRONMENTS.has(name);
  }

  define(name: string, count: number, usual: string | null, body: string): void {
    if (this.#macros.size < MAX_MACROS && body.length <= MAX_BODY && !KEPT.has(name) && count <= 9)
      this.#macros.set(name, { count, usual, body });
  }

  macro(name: string): Macro | null {
    return this.#macros.get(name) ?? null;
  }

  /** The body of a command with its arguments; null where the file has used up what its commands may become. */
  fill(name: string, values: readonly string[]): string | null {
    const macro = this.#macros.get(name);
    if (macro === undefined || this.#left <= 0) return null;
    let filled = macro.body.replaceAll(/#(\d)/g, (_, digit: string) => values[Number(digit) - 1] ?? "");
    this.#left -= filled.length + 1;
    if (filled.length > MAX_BODY) filled = filled.slice(0, MAX_BODY);
    return filled;
  }

  /** A formula with the file's own commands filled in. */
  expand(tex: string, depth = 0): string {
    if (this.#macros.size === 0 || depth > MAX_DEPTH || !tex.includes("\\")) return tex;
    let out = "";
    let from = 0;
    const commands = /\\([A-Za-z@]+)|\\[\s\S]/g;
    for (let found = commands.exec(tex); found !== null; found = commands.exec(tex)) {
      const macro = found[1] === undefined ? undefined : this.#macros.get(found[1]);
      if (macro === undefined || found[1] === undefined) continue;
      out += tex.slice(from, found.index);
      const values: string[] = [];
      let at = commands.lastIndex;
      if (macro.usual !== null) {
        const [option, inside] = /^\s*\[([^\]]{0,500})\]/.exec(tex.slice(at, at + 510)) ?? [];
        values.push(inside ?? macro.usual);
        at += option?.length ?? 0;
      }
      while (values.length < macro.count) {
        const [end, value] = argumentAt(tex, at);
        if (end === at) break;
        values.push(value);
        at = end;
      }
      const filled = this.fill(found[1], values);
      if (filled === null || out.length > MAX_FORMULA) return tex;
      const inner = this.expand(filled, depth + 1);
      // A command must not grow together with the letter behind it.
      out += inner + (/\\[A-Za-z]+$/.test(inner) && /^[A-Za-z]/.test(tex.slice(at, at + 1)) ? " " : "");
      from = at;
      commands.lastIndex = at;
    }
    return out + tex.slice(from);
  }

  /** A formula as KaTeX takes it, each of its rows with its number. @param count gives the next number, and is told the labels of the row */
  numbered(tex: string, environment: string | null, count: (labels: readonly string[]) => string): string {
    const bare = environment?.replace(/\*$/, "") ?? "";
    const shown = ENVIRONMENTS.get(bare) ?? "";
    const isNumbered = environment !== null && !environment.endsWith("*") && !/^(?:displaymath|math)$/.test(bare);
    const rows = shown === "" || bare === "multline" ? [tex] : rowsOf(tex);
    const written = rows.map((row) => {
      const labels = [...row.matchAll(/\\label\s*\{([^{}]{1,200})\}/g)].map(([, label = ""]) => label);
      const clean = row.replaceAll(/\\label\s*\{[^{}]{1,200}\}/g, "").replaceAll(/(?<!\\)%.*\n?/g, "");
      const body = bare === "eqnarray" ? clean.replace(/&([^&]*)&/, "&$1") : clean;
      if (!isNumbered || /\\(?:nonumber|notag|tag)\b/.test(row) || clean.trim() === "")
        return body.replaceAll(/\\(?:nonumber|notag)\b/g, "");
      // KaTeX sets the number of a formula, and of its rows none.
      return `${body.trimEnd()}${shown === "" ? `\\tag{${count(labels)}}` : `\\qquad\\text{(${count(labels)})}`}`;
    });
    const inside = written.join("\\\\").replace(/(?:\\\\\s*)+$/, "");
    return shown === "" ? inside : `\\begin{${shown}*}${inside}\\end{${shown}*}`;
  }
}

/** The rows of a formula: cut at `\\` outside of groups and environments in it. */
function rowsOf(tex: string): readonly string[] {
  const rows: string[] = [];
  let [depth, from] = [0, 0];
  for (const { 0: token, index } of tex.matchAll(/\\\\(?:\[[^\]]{0,20}\])?|\\begin\b|\\end\b|\\[\s\S]|[{}]/g)) {
    if (token === "{" || token === "\\begin") depth++;
    else if (token === "}" || token === "\\end") depth--;
    else if (token.startsWith("\\\\") && depth <= 0) {
      rows.push(tex.slice(from, index));
      from = index + token.length;
    }
  }
  return [...rows, tex.slice(from)];
}

/** The argument at an offset: a group, a command or a sign. */
function argumentAt(tex: string, from: number): readonly [end: number, value: string] {
  const at = from + (/^\s*/.exec(tex.slice(from, from + 50))?.[0].length ?? 0);
  if (tex[at] !== "{") {
    const [sign = ""] = /^(?:\\(?:[A-Za-z]+|[\s\S])|[^\\{}])/.exec(tex.slice(at, at + 50)) ?? [];
    return sign === "" ? [from, ""] : [at + sign.length, sign];
  }
  let depth = 0;
  for (let to = at; to < tex.length; to++) {
    if (tex[to] === "\\") to++;
    else if (tex[to] === "{") depth++;
    else if (tex[to] === "}" && --depth === 0) return [to + 1, tex.slice(at + 1, to)];
  }
  return [from, ""];
}
