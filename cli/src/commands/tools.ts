import { spawn } from 'node:child_process'
import { type Command, globalOptions } from '../command.ts'
import { CommandError, usageError } from '../failures.ts'

const check: Command = {
  name: ['check'],
  words: ['PATH'],
  about: 'Check a dataset on this machine with nmp-formats; nothing is sent anywhere.',
  async run(session, { words, flag }) {
    const child = spawn('nmp-formats', ['check', words[0] ?? '', ...(flag('json') ? ['--json'] : [])], {
      stdio: 'inherit',
      signal: session.signal,
    })
    const outcome = await new Promise<number | NodeJS.ErrnoException>((resolve) => {
      child.on('exit', (code) => resolve(code ?? 1))
      child.on('error', resolve)
    })
    if (outcome === 0) return
    if (typeof outcome === 'number') throw new CommandError('The check found errors.', outcome)
    // A folder of the PATH that may not be entered, or a file in it that may not be run, is EACCES: there is none either way.
    if (outcome.code !== 'ENOENT' && outcome.code !== 'EACCES') throw outcome
    throw new CommandError('nmp-formats is not installed here: in a checkout of nmp, run npm install -g ./formats.')
  },
}

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

/** What may follow the words typed so far; the last one is being typed. */
export function complete(commands: readonly Command[], words: string[]): string[] {
  const last = words.at(-1) ?? ''
  const before = words.slice(0, -1).filter((word) => !word.startsWith('-'))
  if (last.startsWith('-')) {
    const command = commands.find(({ name }) => name.every((word, index) => before[index] === word))
    return Object.keys({ ...globalOptions, ...command?.options })
      .map((name) => `--${name}`)
      .filter((name) => name.startsWith(last))
  }
  const next = commands
    .filter(({ name }) => before.every((word, index) => name[index] === word))
    .flatMap(({ name }) => name[before.length] ?? [])
  return [...new Set(next)].filter((word) => word.startsWith(last))
}

export const toolCommands = [check, completion]
