/** Modules of Coq that a hole of its module system needs. Both known ones need a functor within another module, in whose body one thing stands for
 *  another (an alias, an inclusion, a functor that is applied, a type that says `with Module`), and that other module under a second name. */

const NAME = "[\\p{L}_][\\p{L}\\p{N}_']*";
const PATH = `${NAME}(?:\\s*\\.\\s*${NAME})*`;
const COMMAND = new RegExp(
  `(?:^|[\\s\\]])(Declare\\s+Module|Module\\s+Type|Module|Include(?:\\s+Type)?|Section|End)\\s+(?:(?:Import|Export)\\s+)?(?=\\S)`,
  "u",
);
const IMPORT = /(?:^|[\s\]])(?:Require|Import|Export)\s/;
const PLUGIN = /^\s*Declare\s+ML\s/;
/** `(X Y : T) (Import Z : S.T)`: parameters of types that only have names. */
const PARAMETERS = new RegExp(`^(?:\\(\\s*(?:(?:Import|Export)\\s+)?(?:${NAME}\\s+)*${NAME}\\s*:\\s*!?\\s*${PATH}\\s*\\)\\s*)+`, "u");

type Open = { readonly name: string; readonly isFunctor: boolean; readonly known: Set<string> };

/** hasOddModule reads the commands of a text in their order. A module under a second name is known only where this text began it, and nothing came
 *  in since that could be called so. @param sentences without comments and strings */
export function hasOddModule(sentences: readonly string[]): boolean {
  const open: Open[] = [{ name: "", isFunctor: false, known: new Set() }];
  for (const sentence of sentences) {
    const found = COMMAND.exec(sentence);
    if (IMPORT.test(sentence) || found?.[1]?.startsWith("Include") === true) for (const { known } of open) known.clear();
    if (found === null || PLUGIN.test(sentence)) continue;
    const [what, command = ""] = found;
    const rest = sentence
      .slice(found.index + what.length)
      .trim()
      .replace(/\.$/, "")
      .trim();
    const name = new RegExp(`^${NAME}`, "u").exec(rest)?.[0] ?? "";
    if (command === "End") {
      const at = open.findLastIndex((one) => one.name === name);
      if (at > 0) open.splice(at);
    } else if (command === "Section") open.push({ name, isFunctor: false, known: new Set() });
    else if (isOdd(command, name, rest, open)) return true;
    else if (!command.startsWith("Include")) {
      open.at(-1)?.known.add(name);
      if (!rest.includes(":=") && command !== "Declare Module")
        open.push({ name, isFunctor: rest.slice(name.length).trim().startsWith("("), known: new Set() });
    }
  }
  return false;
}

function isOdd(command: string, name: string, rest: string, open: readonly Open[]): boolean {
  const inFunctor = open.some(({ isFunctor }) => isFunctor);
  const isKnown = (expression: string): boolean =>
    expression.split("<+").every((part) => {
      const [head = "", ...args] = part.trim().split(/\s+(?!\.)/);
      const isOwn = head.split(".").every((step, at) => (at === 0 ? open.some(({ known }) => known.has(step)) : step !== ""));
      // An application of a functor is no second name of what it stands in.
      return isOwn || (args.length > 0 && args[0] !== "with");
    });
  if (/\bwith\s+Module\b/.test(rest) || name === "") return true;
  if (command.startsWith("Include")) return inFunctor || !isKnown(rest);
  const header = rest.slice(name.length).trim();
  const parameters = PARAMETERS.exec(header)?.[0] ?? "";
  const tail = header.slice(parameters.length).trim();
  // Only a body that is written out has what it has, and no other.
  if (inFunctor || parameters !== "")
    return command.startsWith("Declare") || !(tail === "" || (tail.startsWith("<:") && !tail.includes(":=")));
  if (tail.startsWith("(") || tail.startsWith("[")) return true;
  const [, is] = tail.split(":=");
  return is !== undefined && !isKnown(is);
}
