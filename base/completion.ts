/** Completion of commands and options in shells. The scripts ask the program itself, so they know what it knows. */

interface Option {
  long?: string | undefined
  description: string
  argChoices?: readonly string[] | undefined
  required: boolean
  optional: boolean
}

/** The parts of a command of the library that completion needs. */
export interface CommandTree {
  name(): string
  description(): string
  commands: readonly CommandTree[]
  registeredArguments: readonly { argChoices?: readonly string[] | undefined }[]
  createHelp(): {
    visibleCommands(command: CommandTree): readonly CommandTree[]
    visibleOptions(command: CommandTree): readonly Option[]
  }
}

/** The hidden command that the scripts run; the words of the line follow it. */
export const COMPLETE = '__complete'

/**
 * Lines of `word<tab>description` for the last word of a line, which may be empty. Without a line the shell completes
 * files.
 */
export function completionsOf(program: CommandTree, words: readonly string[]): string[] {
  const before = words.slice(0, -1)
  const prefix = words.at(-1) ?? ''
  const path = [program]
  for (const word of before) {
    const next = path.at(-1)!.commands.find((command) => command.name() === word)
    if (next !== undefined) path.push(next)
  }
  const current = path.at(-1)!
  const help = program.createHelp()
  const options = path.flatMap((command) => help.visibleOptions(command))
  const valued = options.find(({ long, required, optional }) => long === before.at(-1) && (required || optional))
  if (valued !== undefined) return lines(prefix, choices(valued.argChoices))
  if (prefix.startsWith('-')) {
    const known = new Map(options.map(({ long = '', description }) => [long, description]))
    return lines(prefix, [...known])
  }
  const commands = help.visibleCommands(current).map((command) => [command.name(), command.description()] as const)
  return lines(prefix, [...commands, ...current.registeredArguments.flatMap(({ argChoices }) => choices(argChoices))])
}

type Word = readonly [word: string, description: string]

const choices = (words: readonly string[] = []): Word[] => words.map((word) => [word, ''])

const lines = (prefix: string, all: readonly Word[]) =>
  all
    .filter(([word]) => word !== '' && word.startsWith(prefix))
    .map(([word, description]) => (description === '' ? word : `${word}\t${description}`))

const BASH = `_standin() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}") program=()
  if [ "\${words[0]}" = service ] && [ "\${#words[@]}" -gt 1 ]; then program=(service) words=("\${words[@]:1}"); fi
  mapfile -t COMPREPLY < <(standin "\${program[@]}" ${COMPLETE} -- "\${words[@]}" 2>/dev/null | cut -f1)
}
complete -o default -F _standin standin`

const ZSH = `#compdef standin
_standin() {
  local -a given program found
  given=("\${(@)words[2,CURRENT]}")
  if [[ $given[1] == service && $#given -gt 1 ]]; then program=(service); shift given; fi
  found=("\${(@f)$(standin $program ${COMPLETE} -- "\${(@)given}" 2>/dev/null)}")
  if [[ -z $found[1] ]]; then _files; return; fi
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  _describe -V standin found
}
compdef _standin standin`

const FISH = `function __standin_complete
  set -l given (commandline -opc)[2..] (commandline -ct)
  set -l program
  if test "$given[1]" = service; and test (count $given) -gt 1
    set program service
    set given $given[2..]
  end
  set -l found (standin $program ${COMPLETE} -- $given 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c standin -f -a '(__standin_complete)'`

export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const
