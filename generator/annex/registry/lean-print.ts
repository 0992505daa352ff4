/** printLean writes an expression of Lean in full: each argument and each universe, and no notation, so that no word in it stands for another. */

/** Nodes of an expression that are printed; what is more is cut off. */
const MAX_NODES = 4000;

/** Bound is a variable that a binder brings, and whether what was printed below it names it. */
type Bound = { readonly name: string; used: boolean };
type Node = { readonly shape: string; readonly parts: readonly number[] };

/** printLean prints an expression as Lean writes it.
 *  @param levels names of the universes, as levels have them */
export function printLean(node: (at: number) => Node, root: number, levels: ReadonlyMap<string, string>): string {
  let left = MAX_NODES;
  const levelOf = (text: string): string => {
    let said = text.replaceAll(/p[^;(),]*;/g, (level) => levels.get(level) ?? level.slice(1, -1));
    for (let before = ""; before !== said; )
      [before, said] = [said, said.replaceAll(/succ\((\d+)\)/g, (_, of: string) => String(Number(of) + 1))];
    return said;
  };
  const bind = (
    [type = 0, body = 0]: readonly number[],
    bound: readonly Bound[],
    write: (typed: string, body: string, one: Bound) => string,
  ) => {
    const one: Bound = { name: `x${bound.length + 1}`, used: false };
    const typed = print(type, bound, false);
    return write(typed, print(body, [...bound, one], false), one);
  };
  const spine = (at: number): readonly number[] => {
    const found: number[] = [];
    let { shape, parts } = node(at);
    for (; shape === "app"; { shape, parts } = node(at)) {
      found.unshift(parts[1] ?? 0);
      at = parts[0] ?? 0;
    }
    return [at, ...found];
  };
  const print = (at: number, bound: readonly Bound[], tight: boolean): string => {
    if (left-- <= 0) return "…";
    const { shape, parts } = node(at);
    const [kind = "", ...words] = shape.split(" ");
    const wrap = (text: string): string => (tight ? `(${text})` : text);
    if (kind === "bvar") {
      const one = bound.at(-1 - Number(words[0]));
      if (one !== undefined) one.used = true;
      return one?.name ?? `#${words[0]}`;
    }
    if (kind === "const") {
      const us = levelOf(words.at(-1) ?? "");
      const name = words.slice(0, -1).join(" ");
      // Bound variables are called so here.
      return (/^x\d+$/.test(name) ? "_root_." : "") + name + (us === "" ? "" : `.{${us}}`);
    }
    if (kind === "sort") {
      const level = levelOf(words[0] ?? "");
      const above = /^succ\(([^()]*)\)$/.exec(level)?.[1];
      if (level === "0" || level === "1") return level === "0" ? "Prop" : "Type";
      return wrap(above === undefined ? `Sort ${level}` : `Type ${above}`);
    }
    if (kind === "app")
      return wrap(
        spine(at)
          .map((part) => print(part, bound, true))
          .join(" "),
      );
    if (kind === "forallE")
      return wrap(
        bind(parts, bound, (type, body, { name, used }) =>
          used ? `∀ (${name} : ${type}), ${body}` : `${/\s/.test(type) ? `(${type})` : type} → ${body}`,
        ),
      );
    if (kind === "lam") return wrap(bind(parts, bound, (type, body, { name }) => `fun (${name} : ${type}) => ${body}`));
    if (kind === "letE") {
      const [type = 0, value = 0, body = 0] = parts;
      return wrap(bind([type, body], bound, (typed, rest, { name }) => `let ${name} : ${typed} := ${print(value, bound, false)}; ${rest}`));
    }
    if (kind === "proj") return `${print(parts[0] ?? 0, bound, true)}.${Number(words.at(-1)) + 1}`;
    return kind === "mdata" ? print(parts[0] ?? 0, bound, tight) : words.join(" ");
  };
  return print(root, [], false);
}
