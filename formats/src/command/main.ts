import { parseArgs } from 'node:util'
import { formatCheckRules } from '../checks/rule-table.ts'
import { describeCause, FormatError } from '../errors.ts'
import { openFolder } from '../file-tree.ts'
import type { OpenOptions } from '../layouts/layout.ts'
import { writers } from '../writers/index.ts'
import { parseSettings } from '../writers/target-options.ts'
import { check, readCheckFlags } from './check.ts'
import { convert } from './convert.ts'
import type { CommandFlags } from './flags.ts'
import { inspect } from './inspect.ts'
import { merge, suggest } from './merge.ts'
import { createProgressBar } from './progress-bar.ts'
import { formatRules } from './rules.ts'
import { formatTargets, listTargets } from './targets.ts'

const helpText = `nmp-formats reads and writes robot data. Nothing leaves this machine.

  nmp-formats inspect PATH               what is in a dataset
  nmp-formats check PATH                 hold every row against the rules of docs/checks.md; exit code 9 when something is found
  nmp-formats convert PATH OUT           write it anew into the empty folder OUT
  nmp-formats merge PATH PATH… OUT       several datasets as one, mapped as --map says
  nmp-formats suggest-map PATH PATH…     what --map could say, and what each guess rests on
  nmp-formats targets                    what --to takes, who reads it, and its options
  nmp-formats rules [checks]             every finding of reading, or every rule of check, as a Markdown table

options
  --to NAME            ${writers.map(({ name }) => name).join(', ')} (default lerobot-v3);
                       given several times: each into OUT/NAME, and what more than one decodes is decoded once
  --set KEY=VALUE      an option of the target; may be given several times; of several targets NAME.KEY=VALUE
  --json               print one JSON document instead of text
  --fail-on SEVERITY   error (default), warning or info: what check ends with exit code 9 for
  --cut-off RULE=N     of check, another cut-off than the rule's own; may be given several times
  --without-pictures   of check, without decoding the cameras
  --video-codec NAME   av1 (default) or h264, for pictures that must be encoded
  --map FILE           of merge: {"sources": [{"map": …, "confirm": […]}, …]} in the order of the paths
  --follow-links       follow links out of PATH (folders of the Hugging Face cache are made of them)
  --fps N  --task TEXT  --color-order rgb|bgr  --flip-vertical
                       what the source does not say, or says wrongly
  --quiet              no progress bar
  --help
`

const options = {
  to: { type: 'string', multiple: true, default: ['lerobot-v3'] as string[] },
  set: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
  'fail-on': { type: 'string', default: 'error' },
  'cut-off': { type: 'string', multiple: true },
  'without-pictures': { type: 'boolean', default: false },
  'video-codec': { type: 'string' },
  map: { type: 'string' },
  'follow-links': { type: 'boolean', default: false },
  fps: { type: 'string' },
  task: { type: 'string' },
  'color-order': { type: 'string' },
  'flip-vertical': { type: 'boolean' },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Runs one command; the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(new FormatError('unsupported', 'Stopped.'))
  process.once('SIGINT', onSignal)
  let isJson = args.includes('--json')
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [command, path, target] = positionals
    if (values.help || command === undefined) {
      console.log(helpText)
      return values.help ? 0 : 1
    }
    isJson = values.json
    if (command === 'rules') {
      console.log(path === 'checks' ? formatCheckRules() : formatRules())
      return 0
    }
    if (command === 'targets') {
      console.log(values.json ? JSON.stringify(listTargets(), null, 2) : formatTargets())
      return 0
    }
    if (path === undefined) throw new FormatError('unsupported', `Name the path: nmp-formats ${command} PATH.`)
    const ofCheck = readCheckFlags(values)
    const links = values['follow-links'] ? 'anywhere' : 'inside'
    using bar = createProgressBar(!values.quiet && !values.json)
    const opening = readOpenOptions(values, stop.signal, bar.report)
    const videoCodec = chooseCodec(values['video-codec'])
    const ofMerge = { json: values.json, map: values.map, videoCodec, links } as const
    if (command === 'merge') return await merge(positionals.slice(1), opening, ofMerge, bar)
    if (command === 'suggest-map') return await suggest(positionals.slice(1), opening, ofMerge, bar)
    const tree = await openFolder(path, { links })
    const settings = parseSettings(values.set)
    const to = [...new Set(values.to)] as [string, ...string[]]
    const flags: CommandFlags = { json: values.json, to, settings, videoCodec }
    if (command === 'inspect') return await inspect(tree, opening, flags, bar)
    if (command === 'check') return await check(tree, opening, ofCheck, bar)
    if (command !== 'convert')
      throw new FormatError('unsupported', `There is no command ${command}; see nmp-formats --help.`)
    if (target === undefined)
      throw new FormatError('unsupported', 'Name the target folder: nmp-formats convert PATH OUT.')
    return await convert(tree, target, opening, flags, bar)
  } catch (error) {
    const code = error instanceof FormatError ? error.code : 'internal'
    if (isJson) console.log(JSON.stringify({ error: { code, sentence: describeCause(error) } }, null, 2))
    else process.stderr.write(`${describeCause(error)}\n`)
    return 1
  } finally {
    process.off('SIGINT', onSignal)
  }
}

function chooseCodec(name: string | undefined): 'av1' | 'h264' {
  if (name === undefined || name === 'av1') return 'av1'
  if (name === 'h264') return 'h264'
  throw new FormatError('unsupported', '--video-codec must be av1 or h264.')
}

interface Values {
  readonly fps?: string | undefined
  readonly task?: string | undefined
  readonly 'color-order'?: string | undefined
  readonly 'flip-vertical'?: boolean | undefined
}

function readOpenOptions(
  values: Values,
  signal: AbortSignal,
  onProgress: NonNullable<OpenOptions['onProgress']>,
): OpenOptions {
  const fps = values.fps === undefined ? undefined : Number(values.fps)
  if (fps !== undefined && !(fps > 0)) throw new FormatError('unsupported', '--fps must be a number above 0.')
  const colorOrder = values['color-order']
  if (colorOrder !== undefined && colorOrder !== 'rgb' && colorOrder !== 'bgr')
    throw new FormatError('unsupported', '--color-order must be rgb or bgr.')
  return {
    signal,
    onProgress,
    ...(fps !== undefined && { fps }),
    ...(values.task !== undefined && { task: values.task }),
    ...(colorOrder !== undefined && { colorOrder }),
    ...(values['flip-vertical'] !== undefined && { flipVertical: values['flip-vertical'] }),
  }
}
