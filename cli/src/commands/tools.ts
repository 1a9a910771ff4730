import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Command } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'

/** What nmp-formats ends with when this Node is too old for it; it has said so itself. */
const cannotRun = 69

const check: Command = {
  name: ['check'],
  words: ['PATH'],
  about: 'Check a dataset on this machine by the rules of docs/checks.md, with nmp-formats; nothing is sent anywhere.',
  examples: ['nmp check ./my-dataset --fail-on warning --json', 'nmp check ./my-dataset --cut-off jump=8'],
  options: {
    'fail-on': {
      type: 'string',
      value: 'error|warning|info',
      about: 'end with exit code 9 when something of this severity or above is found; default: error',
    },
    'cut-off': { type: 'string', multiple: true, value: 'RULE=N', about: "another cut-off than the rule's own" },
    'without-pictures': { type: 'boolean', about: 'without decoding the cameras, which takes most of the time' },
  },
  async run(session, { words, flag, text, texts }) {
    const path = words[0] ?? ''
    if (!existsSync(path))
      throw new CommandError(
        `There is no ${path} on this machine. Name a folder or a file; nmp export and nmp download bring what the service has.`,
        exitCodes.notFound,
      )
    const failOn = text('fail-on')
    const options = [
      ...['json', 'without-pictures'].flatMap((name) => (flag(name) ? [`--${name}`] : [])),
      ...(failOn === undefined ? [] : ['--fail-on', failOn]),
      ...texts('cut-off').flatMap((value) => ['--cut-off', value]),
    ]
    const child = spawn('nmp-formats', ['check', path, ...options], { stdio: 'inherit', signal: session.signal })
    const outcome = await new Promise<number | NodeJS.ErrnoException>((resolve) => {
      child.on('exit', (code) => resolve(code ?? 1))
      child.on('error', resolve)
    })
    // It has said itself what it found, or why it could not look.
    if (typeof outcome === 'number') return outcome === cannotRun ? exitCodes.failed : outcome
    // A folder of the PATH that may not be entered, or a file in it that may not be run, is EACCES: either way it is not installed.
    if (outcome.code !== 'ENOENT' && outcome.code !== 'EACCES') throw outcome
    throw new CommandError('nmp-formats is not installed. In a checkout of nmp, run npm install -g ./formats.')
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

export const toolCommands = [check, completion]
