import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium, launchBrowser, openPage, signIn } from './console-browser.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

/** `npm run screens [FOLDER]`: every page of the console, light and dark, 1280 and 390 wide, of a fresh program with its demo. */
const folder = resolve(process.argv[2] ?? 'screens')
const chromium = findChromium()
if (!chromium) throw new Error('No Chromium here. Set NMP_CHROMIUM to it.')

const program = await startProgram({ env: { NMP_CHANNEL: 'dev', NMP_DEMO: '1' } })
const browser = await launchBrowser(chromium)
try {
  await mkdir(folder, { recursive: true })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
  const { dataset, place } = await waitForDemo(program, bearer)
  await makeThings(program, bearer, place, dataset)
  const { page, context } = await openPage(browser, { url: program.url })
  await signIn(page, program.output())
  const storageState = await context.storageState()
  for (const [name, path] of Object.entries(listPages(place, dataset)))
    for (const width of [1280, 390])
      for (const colorScheme of ['light', 'dark'] as const) {
        const viewport = { width, height: width === 390 ? 844 : 800 }
        const shown = await browser.newContext({ baseURL: program.url, viewport, colorScheme, storageState })
        const view = await shown.newPage()
        await view.goto(path)
        // The live stream stays open, so the network is never idle; pictures of a page come within this.
        await sleep(3000)
        const file = join(folder, `${name}-${width}-${colorScheme}.png`)
        await view.screenshot({ path: file })
        process.stdout.write(`${file}\n`)
        await shown.close()
      }
} finally {
  await browser.close()
  await program.stop()
  await cleanUp()
}

interface Place {
  org: string
  project: string
  slug: string
}

async function waitForDemo(from: Program, token: string): Promise<{ dataset: string; place: Place }> {
  const { user } = (await from.call('GET', '/api/v1/users/me', { bearer: token })).body
  const [{ org_slug: org, project_slug: project }] = user.projects
  for (let tries = 0; tries < 300; tries++) {
    const { items } = (await from.call('GET', `/api/v1/orgs/${org}/projects/${project}/datasets`, { bearer: token }))
      .body
    if (items.length > 0) return { dataset: items[0].id, place: { org, project, slug: items[0].slug } }
    await sleep(1000)
  }
  throw new Error('The demo was not imported within five minutes.')
}

/** Something to see on every page: flags, a version, an export, a token, an import that failed. */
async function makeThings(from: Program, token: string, { org, project, slug }: Place, dataset: string): Promise<void> {
  const base = `/api/v1/orgs/${org}`
  const send = (method: string, path: string, body: unknown) => from.call(method, path, { bearer: token, body })
  await send('PATCH', `${base}/projects/${project}/datasets/${slug}`, {
    visibility: 'public',
    tags: ['simulated', 'demo'],
  })
  await send('PUT', `${base}/projects/${project}/datasets/${slug}/flags`, {
    items: [
      { episode_index: 1, reason: 'idle', note: 'Holds still above the bin.', start_frame: 10, end_frame: 30 },
      { episode_index: 4, reason: 'shaky' },
    ],
  })
  const recipe = { excluded_episode_indices: [1, 4], notes: 'Without the flagged ones.' }
  const made = await send('POST', `${base}/derived-dataset-versions`, {
    slug: `${slug}-clean`,
    name: 'Without flags',
    source: { dataset_kind: 'project', dataset_id: dataset },
    recipe,
  })
  await send('POST', `${base}/derived-dataset-versions/${made.body.item.id}/export-jobs`, {
    artifact_keys: ['lerobot'],
  })
  await send('POST', '/api/v1/users/me/tokens', { name: 'bench recorder', scopes: ['workspace:read', 'imports:write'] })
  await send('POST', `${base}/projects/${project}/imports`, {
    source_kind: 'hdf5',
    dataset_slug: 'lab-sweep',
    title: 'Lab sweep, wrist 2',
    source_uri: 'https://data.invalid/lab_sweep_07.hdf5',
  })
}

function listPages({ org, project }: Place, dataset: string): Record<string, string> {
  return {
    catalog: '/',
    dataset: `/datasets/${dataset}`,
    frames: `/datasets/${dataset}/frames`,
    statistics: `/datasets/${dataset}/statistics`,
    insights: `/datasets/${dataset}/insights`,
    files: `/datasets/${dataset}/files`,
    flags: `/datasets/${dataset}/flags`,
    manage: `/datasets/${dataset}/manage`,
    player: `/datasets/${dataset}/episodes/1?t=1`,
    recipe: `/datasets/${dataset}/recipe`,
    datasets: `/orgs/${org}/projects/${project}/datasets`,
    versions: `/orgs/${org}/projects/${project}/versions`,
    imports: `/orgs/${org}/projects/${project}/imports`,
    'new-import': `/orgs/${org}/projects/${project}/imports?new=upload`,
    'project-members': `/orgs/${org}/projects/${project}/members`,
    members: `/orgs/${org}/members`,
    storage: `/orgs/${org}/storage`,
    audit: `/orgs/${org}/audit`,
    profile: '/settings/profile',
    tokens: '/settings/tokens',
    notifications: '/settings/notifications',
    inbox: '/inbox',
  }
}
