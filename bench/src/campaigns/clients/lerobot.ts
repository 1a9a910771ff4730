import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkout, makeFolder } from '../../../../e2e/program.ts'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { type Door, recording } from './door.ts'
import type { Environment } from './environments.ts'
import type { Outcome } from './table.ts'

/** A step of the lane `python-door`, by the same script, and what it shows. */
interface Step {
  operation: string
  words: readonly string[]
  /** Said beside `works`. */
  note?: string
  isRefused?: boolean
  /** Imports of this slug end before the next step. */
  slug?: string
}

const script = join(checkout, 'server/test/python/door.py')
const golden = dirname(recording)

function listSteps(version: string, slug: string): Step[] {
  if (version === '0.3.3')
    return [
      { operation: '`LeRobotDataset` of what is v3.0 here', words: ['opened', 'ada/two-cameras'], isRefused: true },
      {
        operation: '`push_to_hub` of its v2.1, which becomes v3.0 here',
        words: ['older', `ada/pushed-${slug}`, getFixture('lerobot/recorded-v2.1')],
        slug: `pushed-${slug}`,
      },
    ]
  return [
    { operation: reading, words: ['read', 'ada/two-cameras', twoCameras] },
    { operation: 'a derived version that was never exported', words: ['version', `ada/${slug}`, '2'] },
    { operation: pushing, words: ['push', `ada/pushed-${slug}`, twoCameras], note: pushNote, slug: `pushed-${slug}` },
    {
      operation: '`push_to_hub(branch=…)`, read back, the public Hub in reach',
      words: ['branch', `ada/pushed-${slug}`, twoCameras],
    },
    {
      operation: '`lerobot-edit-dataset` `delete_episodes` with push, of a set pushed as v2.1',
      words: ['edit', `ada/edited-${slug}`, join(golden, 'v2.1-lines-unordered')],
    },
    {
      operation: '`lerobot-edit-dataset` `split`, the public Hub out of reach',
      words: ['split', `ada/split-${slug}`, getFixture('lerobot/recorded-v3.0-lerobot-0.4.4')],
      note: 'with push it stops after its first part; uploaded by hand all parts arrive',
    },
    {
      operation: '`lerobot-train`, its push at the end, `from_pretrained`',
      words: ['train', `ada/trained-${slug}`, recording, `ada/policy-${slug}`],
      note: 'without the public Hub the checkpoint is uploaded by hand',
    },
  ]
}

const reading = '`LeRobotDataset`, whole and `episodes=[…]`, every frame as on disk'
const pushing = '`push_to_hub`, the public Hub out of reach'
const pushNote = 'raises in the client when the files are there'
const twoCameras = getFixture('lerobot/recorded-v3.0-two-cameras')

export async function* runLerobot(
  door: Door,
  { version, home }: Environment,
): AsyncGenerator<Omit<Outcome, 'client' | 'version'>> {
  const slug = `v${version.replaceAll('.', '')}`
  await door.importFolder(twoCameras, 'two-cameras')
  const frames = await door.deriveVersion('two-cameras', slug)
  for (const { operation, words, note = '', isRefused = false, slug: pushed } of listSteps(version, slug)) {
    const given = words[0] === 'version' ? [words[0], words[1] ?? '', String(frames)] : words
    const refusal = await runStep(door, home, given)
    if (pushed) await waitForImports(door, pushed)
    const outcome = refusal === undefined ? 'works' : 'refused'
    yield { operation, outcome, words: refusal ?? note, isExpected: outcome === (isRefused ? 'refused' : 'works') }
  }
}

const mostCharacters = 20_000

/** Undefined when it went through; else the last line that it said, which of a Python program is the exception. */
async function runStep({ env }: Door, python: string, words: readonly string[]): Promise<string | undefined> {
  const child = spawn(python, [script, ...words], {
    env: { ...process.env, ...env, HF_HOME: await makeFolder(), PYTHONPATH: join(dirname(python), '../../training') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (piece: Buffer) => {
      said = (said + piece).slice(-mostCharacters)
    })
  const [code] = await once(child, 'close')
  if (code === 0) return undefined
  const lines = said.split('\n').filter((line) => /^[\w.]+(Error|Exception)\b/.test(line))
  return (lines.at(-1) ?? said.trim().split('\n').at(-1) ?? '').trim()
}

async function waitForImports({ program, token }: Door, slug: string): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    const { body } = await program.call('GET', `/api/v1/orgs/ada/projects/default/imports?q=${slug}`, { bearer: token })
    const statuses: string[] = body.items.map(({ status }: { status: string }) => status)
    if (statuses.length > 0 && statuses.every((status) => !['queued', 'running'].includes(status))) return
    await sleep(1000)
  }
}
