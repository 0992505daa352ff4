/** `proofshelf completion`: what a shell offers behind a command, made from the commands themselves. */
import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

type Place = { readonly words: string; readonly offered: readonly string[] };

/** Every command, as it is typed, with the commands and options that may follow it. */
function places(command: Command, words = ""): readonly Place[] {
  const options = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const children = command.commands.filter((child) => child.name() !== "help");
  return [
    { words, offered: [...children.map((child) => child.name()), ...choices, ...options, "--help"] },
    ...children.flatMap((child) => places(child, `${words} ${child.name()}`.trim())),
  ];
}

/** describeCompletion writes a script to be sourced: `source <(proofshelf completion bash)`. Where no option is asked for, files are offered too. */
export function describeCompletion(program: Command, shell: Shell): string {
  const found = places(program);
  if (shell === "fish") {
    const lines = found.flatMap(({ words, offered }) => {
      const seen =
        words === ""
          ? "__fish_use_subcommand"
          : words
              .split(" ")
              .map((word) => `__fish_seen_subcommand_from ${word}`)
              .join("; and ");
      return offered.map((offer) =>
        offer.startsWith("--")
          ? `complete -c proofshelf -n '${seen}' -l ${offer.slice(2)}`
          : `complete -c proofshelf -n '${seen}' -a ${offer}`,
      );
    });
    return `${lines.join("\n")}\n`;
  }
  const cases = found.map(({ words, offered }) => `    ${JSON.stringify(words)}) offered=${JSON.stringify(offered.join(" "))} ;;`);
  return `${shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : ""}_proofshelf() {
  local word words="" offered=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  while :; do
    case "$words" in
${cases.join("\n")}
    esac
    [ -n "$offered" ] || [ -z "$words" ] && break
    case "$words" in *" "*) words="\${words% *}" ;; *) words="" ;; esac
  done
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _proofshelf proofshelf
`;
}
