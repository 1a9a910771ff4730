import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanUp, makeFolder, startProgram } from '../../../e2e/program.ts'
import { getFixture } from '../../../fixtures/fixture.ts'
import { startHubServer } from '../../../server/test/hub-server.ts'
import { type FuzzSeed, org_slug, seedProgram } from './fuzz-seed.ts'
import type { CampaignOptions } from './options.ts'

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
  'use_after_free',
  'unsupported_method',
]
const fullExamples = 500
const resultFolder = join(import.meta.dirname, '..', '..', 'results')

/**
 * Requests made from openapi.json by schemathesis against the running program, most of them with identifiers of real things.
 * `--only REGEX` takes some operations (by id), `--seconds N` ends it early; `.ci/fuzz` brings schemathesis.
 */
export const campaignFuzz = async ({ seed, scale, only, seconds }: CampaignOptions): Promise<boolean> => {
  const command = process.env.NMP_SCHEMATHESIS ?? 'schemathesis'
  const folder = getFixture('lerobot/recorded-v2.1')
  const examples = Math.max(1, Math.round(fullExamples * scale))
  const scratch = await makeFolder()
  const [values, counts] = [join(scratch, 'values.json'), join(scratch, 'counts.json')]
  const hub = await startHubServer(folder)
  try {
    const program = await startProgram({
      env: { NMP_HF_ENDPOINT: hub.url, NMP_SOURCE_ALLOW: hub.allow, NMP_TRUST_PROXY: '1' },
    })
    const seeded = await seedProgram(program, folder)
    await writeFile(values, JSON.stringify(seeded.fuzz))
    await writeFile(join(scratch, 'schemathesis.toml'), renderConfig(seeded))
    const words = [
      ...['run', `${program.url}/openapi.json`, '--no-color', '--seed', String(seed)],
      ...['--checks', checks.join(','), '--max-examples', String(examples)],
      ...['--phases', only ? 'examples,coverage,fuzzing' : 'examples,coverage,fuzzing,stateful'],
      ...(only ? ['--include-operation-id-regex', only] : []),
      ...(process.env.NMP_REPORTS ? ['--report-junit-path', join(process.env.NMP_REPORTS, 'fuzz.xml')] : []),
      ...(seconds ? ['--max-time', String(seconds)] : []),
    ]
    const fuzzer = spawn(command, words, {
      cwd: scratch,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        NMP_FUZZ_VALUES: values,
        NMP_FUZZ_COUNTS: counts,
        NMP_FUZZ_SEED: String(seed),
        SCHEMATHESIS_HOOKS: 'fuzz_hooks',
        PYTHONPATH: import.meta.dirname,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    })
    const [code] = await once(fuzzer, 'exit')
    const { status } = await program.call('GET', '/readyz')
    const answers = JSON.parse(await readFile(counts, 'utf8')) as Answers
    const own = await program.call('GET', `/api/v1/orgs/${org_slug}`, { bearer: seeded.session })
    const isAdmin = own.body.item?.role === 'admin'
    if (!isAdmin) console.log(`The fuzzer is no admin of its organization any more: ${JSON.stringify(own.body)}`)
    const passed = code === 0 && status === 200 && isAdmin && hasReached(answers)
    await report({ passed, seed, examples, only: only ?? null, answers })
    return passed
  } finally {
    await hub.close()
    await cleanUp()
  }
}

/** How often each operation answered which status. */
type Answers = Record<string, Record<string, number>>

interface Result {
  passed: boolean
  seed: number
  examples: number
  only: string | null
  answers: Answers
}

const hasSucceeded = (statuses: Record<string, number>): boolean =>
  Object.keys(statuses).some((status) => /^[23]/.test(status))

/** A fuzzer whose credential has died, or whose identifiers are wrong, finds nothing for a bad reason. */
const hasReached = (answers: Answers): boolean => {
  const all = Object.values(answers)
  return all.filter(hasSucceeded).length >= 0.75 * all.length
}

async function report(result: Result): Promise<void> {
  const entries = Object.entries(result.answers)
  const total = entries.reduce((sum, [, statuses]) => sum + Object.values(statuses).reduce((a, b) => a + b, 0), 0)
  const unreached = entries.filter(([, statuses]) => !hasSucceeded(statuses))
  console.log(`${entries.length} operations, ${total} requests, ${result.examples} examples each, seed ${result.seed}`)
  if (unreached.length > 0) console.log(`never succeeded: ${unreached.map(describeAnswers).join(', ')}`)
  if (result.examples < fullExamples || result.only !== null) return
  await mkdir(resultFolder, { recursive: true })
  const day = new Date().toISOString().slice(0, 10)
  const path = join(resultFolder, `fuzz-${day}-seed-${result.seed}.json`)
  await writeFile(path, `${JSON.stringify({ campaign: 'fuzz', total, ...result }, null, 2)}\n`)
  console.log(`written to ${path}`)
}

const describeAnswers = ([id, statuses]: [string, Record<string, number>]): string =>
  `${id} (${Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')})`

const renderConfig = ({ session, bearers }: FuzzSeed): string =>
  [
    `headers = { Authorization = "Bearer ${session}" }`,
    ...Object.entries(bearers).flatMap(([id, bearer]) => [
      '[[operations]]',
      `include-operation-id = "${id}"`,
      `headers = { Authorization = "Bearer ${bearer}" }`,
    ]),
    '',
  ].join('\n')
