/** AgdaLib is what an `.agda-lib` says: which folders modules begin in, which libraries they need, which flags they are checked with. */
export type AgdaLib = {
  readonly include: readonly string[];
  readonly depend: readonly string[];
  readonly flags: readonly string[];
};

export function readAgdaLib(text: string): AgdaLib {
  const fields = new Map<string, string[]>();
  let field = "";
  for (const line of text.replaceAll(/--[ \t][^\n]*|--$/gm, "").split("\n")) {
    const [, name, rest = ""] = /^([\w-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name !== undefined) field = name;
    const words = (name === undefined ? line : rest).split(/\s+/).filter((word) => word !== "");
    fields.set(field, [...(fields.get(field) ?? []), ...words]);
  }
  const of = (name: string): string[] => fields.get(name) ?? [];
  return { include: of("include"), depend: of("depend").map((word) => word.replace(/,$/, "")), flags: of("flags") };
}
