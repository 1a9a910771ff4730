import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@nmp/sdk/client'
import { installCommand, type NmpCommand } from '../../../../e2e/nmp-command.ts'
import { waitFor } from '../../../../e2e/processes.ts'
import { checkout, makeFolder } from '../../../../e2e/program.ts'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { measureSeconds } from '../../timing.ts'
import { type ComposeProject, openCompose } from './compose-project.ts'
import { noteTo, type Outcome } from './outcome.ts'

const execute = promisify(execFile)
const place = { org_slug: 'admin', project_slug: 'default' }
/** A third of the demonstration: all of it is decoded, made larger and encoded, in eight shards. */
const encodeBound = { first_n_episodes: 8, resize: { width: 480, height: 360, mode: 'stretch' } }

/** `docker compose up`, the README's five minutes through it, and an export with one worker and with four. */
export async function tryCompose(image: string) {
  const outcomes: Outcome[] = []
  const note = noteTo(outcomes)
  const compose = await openCompose(image)
  try {
    await compose.up(2)
    note('up: PostgreSQL, S3, API, two workers', (await fetch(`${compose.url}/readyz`)).ok)
    const link = /http:\S+sign-in\S+/.exec(await compose.run('logs', '--no-log-prefix', 'api'))?.[0] ?? ''
    note('the log of the API has a link to sign in', link.startsWith(compose.url) && (await fetch(link)).ok)
    const nmp = await installCommand({ NMP_BASE_URL: compose.url, NMP_TOKEN: await createToken(compose) })
    const demo = await waitForDemo(nmp)
    note('a simulated dataset is in the catalog', demo !== '', demo)
    await readMedia(compose, nmp, demo, note)
    note("the command's five minutes, as docs/tutorials/cli.md has them", await typeTutorial(nmp))
    await readByHub(nmp, note)
    const exports = await compareWorkers(compose, nmp, demo, note)
    return { passed: outcomes.every(({ passed }) => passed), outcomes, exports }
  } finally {
    await compose.close()
  }
}

type Note = ReturnType<typeof noteTo>

async function createToken(compose: ComposeProject): Promise<string> {
  const words = ['exec', '--no-TTY', 'api', 'node', 'server/src/admin/main.ts', 'session', 'admin@localhost']
  const session = await compose.run(...words)
  const scopes = ['workspace:read', 'imports:write', 'datasets:write', 'versions:write', 'exports:write'] as const
  const client = createClient({ baseUrl: compose.url, token: session })
  return (await client.users.createToken({ body: { name: 'compose', scopes: [...scopes] } })).token
}

async function waitForDemo(nmp: NmpCommand): Promise<string> {
  let slug = ''
  await waitFor(
    'the demonstration',
    async () => {
      slug = (await nmp.mustRun('datasets', 'ls', '-q', ...placeWords)).split('\n')[0] ?? ''
      return slug !== ''
    },
    600,
  )
  return slug
}

const placeWords = ['--org', place.org_slug, '--project', place.project_slug]

/** Every address of an episode is one that a browser on this machine reaches without a credential. */
async function readMedia(compose: ComposeProject, nmp: NmpCommand, slug: string, note: Note): Promise<void> {
  const client = createClient({ baseUrl: compose.url, token: nmp.environment.NMP_TOKEN ?? '' })
  const { item } = await client.datasets.getProjectDataset({ ...place, dataset_slug: slug })
  const media = await client.catalog.getEpisodeMedia({ dataset_id: item.id, episode_index: 0 })
  const addresses = [...new Set(JSON.stringify(media).match(/https?:\/\/[^"]+/g))]
  let bytes = 0
  const wrong: string[] = []
  for (const address of addresses) {
    const answer = await fetch(address)
    const body = await answer.arrayBuffer()
    bytes += body.byteLength
    const type = answer.headers.get('content-type') ?? ''
    if (!answer.ok || body.byteLength === 0 || !/^(video|image)\//.test(type) || !address.startsWith(compose.url))
      wrong.push(`${address}: ${answer.status} ${type}`)
  }
  const said = wrong.length > 0 ? wrong.join('; ') : `${addresses.length} addresses, ${bytes} bytes`
  note(
    'signed addresses of videos and pictures lead to bytes, through the API',
    addresses.length > 0 && wrong.length === 0,
    said,
  )
}

/** Every line for a shell of the page, as a reader would type it. */
async function typeTutorial(nmp: NmpCommand): Promise<boolean> {
  const desk = await makeFolder()
  await cp(getFixture('lerobot/recorded-v2.1'), join(desk, 'my-dataset'), { recursive: true })
  const page = await readFile(join(checkout, 'docs/tutorials/cli.md'), 'utf8')
  const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text).join('\n')
  await mkdir(join(desk, 'bin'))
  await writeFile(join(desk, 'bin/nmp'), `#!/bin/sh\nexec node '${nmp.path}' "$@"\n`)
  await chmod(join(desk, 'bin/nmp'), 0o755)
  const env = {
    ...nmp.environment,
    NMP_ORG: place.org_slug,
    NMP_PROJECT: place.project_slug,
    PATH: `${join(desk, 'bin')}:${nmp.environment.PATH}`,
  }
  await execute('bash', ['-euo', 'pipefail', '-c', lines], { cwd: desk, env, maxBuffer: 1 << 26 })
  return (
    (JSON.parse(await readFile(join(desk, 'first-two/meta/info.json'), 'utf8')) as { total_episodes: number })
      .total_episodes === 2
  )
}

/** What `LeRobotDataset("admin/first-demos")` asks first. */
async function readByHub(nmp: NmpCommand, note: Note): Promise<void> {
  const said = await nmp.mustRun('env')
  const [endpoint = '', token = ''] = ['HF_ENDPOINT', 'HF_TOKEN'].map(
    (name) => new RegExp(`${name}=['"]?([^'"\\s]+)`).exec(said)?.[1] ?? '',
  )
  const answer = await fetch(`${endpoint}/datasets/admin/first-demos/resolve/main/meta/info.json`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const info = (await answer.json()) as { total_episodes?: number }
  note('the Hub door that `nmp env` names has what was imported', info.total_episodes === 4, `${answer.status}`)
}

interface TimedExport {
  workers: number
  seconds: number
}

async function compareWorkers(
  compose: ComposeProject,
  nmp: NmpCommand,
  demo: string,
  note: Note,
): Promise<TimedExport[]> {
  const recipe = join(nmp.home, 'recipe.json')
  await writeFile(recipe, JSON.stringify(encodeBound))
  const archives: string[] = []
  const exports: TimedExport[] = []
  // In turns, since the machine may do other things beside it.
  for (const workers of [1, 4, 4, 1]) {
    await compose.up(workers)
    const version = `larger-${exports.length}`
    const archive = join(nmp.home, `${version}.tar`)
    await nmp.mustRun('versions', 'create', demo, '--recipe', recipe, '--slug', version, ...placeWords)
    const words = ['export', version, '--wait', '-o', archive, ...placeWords]
    const seconds = Math.round((await measureSeconds(() => nmp.mustRun(...words))) * 10) / 10
    archives.push(archive)
    exports.push({ workers, seconds })
    console.log(`${workers} workers: ${seconds} s`)
  }
  const [first = '', ...others] = archives
  const differing = await Promise.all(others.map((other) => execute('cmp', [first, other]).catch(() => other)))
  note('exports of one worker and of four have the same bytes', !differing.some((one) => typeof one === 'string'))
  const bestOf = (count: number) =>
    Math.min(...exports.filter(({ workers }) => workers === count).map(({ seconds }) => seconds))
  const ratio = bestOf(1) / bestOf(4)
  // A worker wants two processors. On fewer, four must only not be slower than one; a twentieth is noise.
  const wanted = availableParallelism() >= 8 ? 1.8 : 0.95
  note(
    `--scale worker=4 is ${wanted} times as fast as one worker, or faster`,
    ratio >= wanted,
    `${ratio.toFixed(2)} times on ${availableParallelism()} processors`,
  )
  return exports
}
