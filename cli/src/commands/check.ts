import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { CheckFinding, CheckRanking } from '@nmp/sdk/generated/records'
import { type Checked, findChecked, followChecks } from '../check-view.ts'
import type { Command, Invocation } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import type { Session } from '../session.ts'

/** What nmp-formats ends with when this Node is too old for it; it has said so itself. */
const cannotRun = 69
const severities = ['error', 'warning', 'info'] as const
const shownEpisodes = 10

export const check: Command = {
  name: ['check'],
  words: ['PATH|DATASET'],
  about:
    'Check a dataset by the rules of docs/checks.md. A path that exists is checked on this machine, with nmp-formats, and nothing is sent anywhere; anything else is a dataset or version of the service.',
  examples: [
    'nmp check ./my-dataset --fail-on warning --json',
    'nmp check ./my-dataset --cut-off jump=8',
    'nmp check pick-cans --run --fail-on warning',
  ],
  options: {
    'fail-on': {
      type: 'string',
      value: 'error|warning|info',
      about: 'end with exit code 9 when something of this severity or above is found; default: error',
    },
    'cut-off': { type: 'string', multiple: true, value: 'RULE=N', about: "another cut-off than the rule's own" },
    'without-pictures': { type: 'boolean', about: 'without decoding the cameras, which takes most of the time' },
    run: { type: 'boolean', about: 'of the service: check first what has not been checked' },
  },
  async run(session, invocation) {
    const what = invocation.words[0] ?? ''
    if (existsSync(what)) return checkHere(session, what, invocation)
    if (/[/\\]/.test(what))
      throw new CommandError(
        `There is no ${what} on this machine. Name a folder or a file, or a dataset or version of the service by its slug or id.`,
        exitCodes.notFound,
      )
    return checkThere(session, what, invocation)
  },
}

async function checkHere(session: Session, path: string, { flag, text, texts }: Invocation): Promise<number> {
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
}

async function checkThere(session: Session, what: string, { flag, text, texts }: Invocation): Promise<number> {
  const failOn = severities.findIndex((severity) => severity === (text('fail-on') ?? 'error'))
  if (failOn < 0) throw usageError(`--fail-on is ${severities.join(', ')}.`)
  const cutOffs = readCutOffs(texts('cut-off'))
  const checked = await findChecked(session, what)
  const pictures = !flag('without-pictures')
  const summary = await followChecks(session, checked, { pictures, starts: flag('run') })
  const findings = await listFindings(session, checked, cutOffs)
  const unlisted = summary.rules
    .filter(({ unlisted: count }) => count > 0)
    .map(({ id, unlisted: count }) => [id, count])
  const { rule_set_version, episodes, frames, set_values, look_first, signals, pictures: looked } = summary
  if (session.output.json)
    session.output.print(
      JSON.stringify(
        {
          ok: findings.every(({ severity }) => severity !== 'error'),
          dataset_id: checked.dataset_id,
          revision_number: summary.revision_number,
          rule_set_version: signals.rule_set_version ?? rule_set_version,
          episodes,
          frames,
          signals,
          pictures: looked,
          findings,
          unlisted: Object.fromEntries(unlisted),
          rankings: await listRankings(session, checked),
          set_values,
          look_first,
        },
        null,
        2,
      ),
    )
  else {
    for (const finding of findings) session.output.say(describeFinding(finding))
    if (set_values.length > 0) session.output.say('\nThe whole set:')
    for (const { sentence } of set_values) session.output.say(`  ${sentence}`)
    if (look_first.length > 0) session.output.say('\nLook at these first:')
    for (const { episode_index: index, reasons } of look_first.slice(0, shownEpisodes))
      session.output.say([`  episode ${index}`, ...reasons.map((reason) => `    ${reason}`)].join('\n'))
    const counts = severities.map(
      (severity) => `${findings.filter((finding) => finding.severity === severity).length} ${severity}`,
    )
    session.output.say(`\n${episodes ?? 0} episodes, ${frames ?? 0} frames: ${counts.join(', ')}.`)
  }
  return findings.some(({ severity }) => severities.indexOf(severity) <= failOn) ? exitCodes.found : 0
}

function readCutOffs(given: readonly string[]): Map<string, number> {
  return new Map(
    given.map((text) => {
      const [, rule, value] = /^([\w-]+)=(.+)$/.exec(text) ?? []
      if (rule === undefined || !Number.isFinite(Number(value))) throw usageError('--cut-off is RULE=NUMBER.')
      return [rule, Number(value)]
    }),
  )
}

/** At the cut-offs that are set there, but for those that were given. */
async function listFindings(
  session: Session,
  { dataset_id }: Checked,
  cutOffs: ReadonlyMap<string, number>,
): Promise<CheckFinding[]> {
  const { catalog } = await session.getClient()
  const options = { signal: session.signal }
  const findings: CheckFinding[] = []
  for await (const finding of catalog.iterateCheckFindings({ dataset_id, limit: 1000 }, options))
    if (!cutOffs.has(finding.rule)) findings.push(finding)
  for (const [rule, cut_off] of cutOffs)
    for await (const finding of catalog.iterateCheckFindings({ dataset_id, rule, cut_off, limit: 1000 }, options))
      findings.push(finding)
  return findings
}

/** Every rule's, one after the other. */
async function listRankings(session: Session, { dataset_id }: Checked): Promise<CheckRanking[]> {
  const { catalog } = await session.getClient()
  const rankings: CheckRanking[] = []
  for await (const one of catalog.iterateCheckRankings({ dataset_id, limit: 10_000 }, { signal: session.signal }))
    rankings.push(one)
  return rankings
}

function describeFinding({ severity, rule, episode_index: episode, sentence, camera, feature }: CheckFinding): string {
  const place = [episode === null ? undefined : `episode ${episode}`, camera ?? feature ?? undefined].filter(Boolean)
  return `${severity.padEnd(7)} ${rule}${place.length > 0 ? ` (${place.join(', ')})` : ''}: ${sentence}`
}
