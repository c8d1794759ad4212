import { Argument, Command } from '@commander-js/extra-typings';
import type { Command as Program } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `completion SHELL`: prints a script that completes commands and options. */
export default (): Command =>
  new Command('completion')
    .description("Prints a script that completes commands and options. Load it in your shell's startup file.")
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell, _, { parent }) => {
      if (parent !== null) process.stdout.write(completionScript(shell, parent as Program));
    }) as unknown as Command;

/** Returns a shell's completion script for the program's commands and options. */
export function completionScript(shell: Shell, program: Program): string {
  const levels = levelsOf(program);
  switch (shell) {
    case 'bash':
      return bashScript(levels);
    case 'zsh':
      return `#compdef registry-mirror\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(levels)}`;
    case 'fish':
      return fishScript(levels);
  }
}

/** The subcommands, argument values and options that can follow a command. */
interface Level {
  /** The command, such as `keys` or `keys create`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly text: string; readonly summary: string }[];
}

function levelsOf(program: Program): Level[] {
  const level = (path: string, command: Program): Level => ({
    path,
    words: [
      ...command.commands.map((one) => ({ text: one.name(), summary: one.summary() })),
      ...command.registeredArguments.flatMap(({ argChoices }) =>
        (argChoices ?? []).map((text) => ({ text, summary: '' })),
      ),
      ...command.options.map(({ long, description }) => ({ text: long ?? '', summary: description })),
      { text: '--help', summary: 'display help' },
    ],
  });
  return [
    level('', program),
    ...program.commands.flatMap((command) => [
      level(command.name(), command),
      ...command.commands.map((part) => level(`${command.name()} ${part.name()}`, part)),
    ]),
  ];
}

function bashScript(levels: readonly Level[]): string {
  const cases = levels
    .filter(({ path }) => path !== '')
    .toSorted((a, b) => b.path.split(' ').length - a.path.split(' ').length)
    .map(({ path, words }) => {
      const pattern = path.includes(' ') ? `'${path}'` : `'${path} '*`;
      return `    ${pattern}) words='${textsOf(words)}' ;;`;
    });
  return `_registry_mirror() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${textsOf(levels[0]?.words ?? [])}'
  else
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join('\n')}
    esac
  fi
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
complete -o default -F _registry_mirror registry-mirror
`;
}

function textsOf(words: Level['words']): string {
  return words.map(({ text }) => text).join(' ');
}

function fishScript(levels: readonly Level[]): string {
  return levels
    .flatMap(({ path, words }) => {
      const seen = path.split(' ').filter((word) => word !== '');
      const condition =
        seen.length === 0
          ? '__fish_use_subcommand'
          : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      return words.map(({ text, summary }) => {
        const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-f -a ${text}`;
        return `complete -c registry-mirror -n '${condition}' ${what} -d '${escaped(summary)}'\n`;
      });
    })
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[\\']/g, '\\$&');
}

const EXAMPLES = `
Examples:
  $ source <(registry-mirror completion bash)                 in ~/.bashrc
  $ source <(registry-mirror completion zsh)                  in ~/.zshrc, after compinit
  $ registry-mirror completion fish | source                  in ~/.config/fish/config.fish`;
