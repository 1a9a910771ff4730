import type { Command } from '../command.ts'
import { usageError } from '../failures.ts'
import { check } from './check.ts'

/** Shells ask the program itself, so the scripts never grow old. */
const scripts: Record<string, string> = {
  bash: `_nmp() {
  local IFS=$'\n'
  COMPREPLY=($(nmp __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _nmp nmp
`,
  zsh: `#compdef nmp
_nmp() {
  local -a found
  found=("\${(@f)$(nmp __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _nmp nmp
`,
  fish: `function __nmp_complete
  set -l token (commandline -ct)
  set -l found (nmp __complete -- (commandline -opc)[2..] "$token" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$token"
  end
end
complete -c nmp -f -a '(__nmp_complete)'
`,
}

const completion: Command = {
  name: ['completion'],
  words: ['bash|zsh|fish'],
  about: 'Print a completion script: eval "$(nmp completion bash)", or nmp completion fish | source.',
  async run({ output }, { words }) {
    const script = scripts[words[0] ?? '']
    if (!script) throw usageError('The shell is bash, zsh or fish.')
    output.print(script)
  },
}

export const toolCommands = [check, completion]
