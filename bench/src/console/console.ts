import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getChromium, launchBrowser } from '../../../e2e/console-browser.ts'
import { openSignedIn } from '../../../e2e/console-pages.ts'
import { cleanUp, makeFolder, type Program, startProgram } from '../../../e2e/program.ts'
import type { BenchRow } from '../row.ts'
import { uploadByCurl, writeRandomFile } from '../storage/curl-upload.ts'
import { measureSeconds, median } from '../timing.ts'

const pictureRounds = 9
const pictureBound = 0.4
const uploadRounds = 3

type Browser = Awaited<ReturnType<typeof launchBrowser>>

interface Opened {
  browser: Browser
  program: Program
  bearer: string
}

/** What a person with a browser waits for: the first picture of an episode that somebody sent a link to, and an upload by the console. */
export const benchConsole = async (): Promise<BenchRow[]> => {
  const browser = await launchBrowser(getChromium())
  try {
    const program = await startProgram({ env: { NMP_DEMO: '1' } })
    const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    const opened = { browser, program, bearer }
    return [await benchPicture(opened), await benchUpload(opened)]
  } finally {
    await browser.close()
    await cleanUp()
  }
}

/** Each time in a tab with nothing in its cache; episodes in turn, so that each is asked of the program for the first time. */
async function benchPicture({ browser, program, bearer }: Opened): Promise<BenchRow> {
  const { id, count } = await findDemo(program, bearer)
  const seconds: number[] = []
  const bare: number[] = []
  for (let round = 0; round < pictureRounds; round += 1) {
    const { page, context } = await openSignedIn(browser, program.url, bearer, 1280)
    const began = performance.now()
    await page.goto(`/datasets/${id}/episodes/${round % count}`, { waitUntil: 'commit' })
    await page.locator('.camera.main video[data-shown="0"]').waitFor()
    seconds.push((performance.now() - began) / 1000)
    const source = await page.evaluate<string>(`document.querySelector('.camera.main video').currentSrc`)
    await context.close()
    bare.push(await measureBare(browser, program.url, source))
  }
  const ours = median(seconds)
  return {
    name: 'first picture of an episode by link, cold cache',
    ours: `${ours.toFixed(2)} s`,
    peer: `${pictureBound} s, the bound`,
    ratio: ours / pictureBound,
    goal: 'at most 1',
    met: ours <= pictureBound,
    note: `median of ${pictureRounds}, best ${Math.min(...seconds).toFixed(2)} s, worst ${Math.max(...seconds).toFixed(2)} s; a bare page with that video and nothing else ${median(bare).toFixed(2)} s; load average ${loadavg()[0]?.toFixed(1)}`,
  }
}

/** The demonstration is made after the start. */
async function findDemo(program: Program, bearer: string): Promise<{ id: string; count: number }> {
  for (;;) {
    const { body } = await program.call('GET', '/api/v1/catalog/datasets?limit=1', { bearer })
    const [first] = body.items
    if (first) return { id: first.id, count: first.total_episodes }
    await sleep(250)
  }
}

/** What the browser itself needs for that picture. */
async function measureBare(browser: Browser, url: string, source: string): Promise<number> {
  const context = await browser.newContext({ baseURL: url })
  const page = await context.newPage()
  await page.route('**/bare', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<video muted preload="auto" src="${source}"></video>` }),
  )
  const began = performance.now()
  await page.goto('/bare', { waitUntil: 'commit' })
  await page.waitForFunction(`document.querySelector('video')?.readyState >= 2`, undefined, { polling: 'raf' })
  const seconds = (performance.now() - began) / 1000
  await context.close()
  return seconds
}

/** From the choice of a file to the word that it is stored. */
async function benchUpload({ browser, program, bearer }: Opened): Promise<BenchRow> {
  const { user } = (await program.call('GET', '/api/v1/users/me', { bearer })).body
  const [{ org_slug: org, project_slug: project }] = user.projects
  const file = join(await makeFolder(), 'random.hdf5')
  const [ours, peer]: [number[], number[]] = [[], []]
  for (let round = 0; round < uploadRounds; round += 1) {
    await writeRandomFile(file)
    const { page, context } = await openSignedIn(browser, program.url, bearer, 1280)
    await page.goto(`/orgs/${org}/projects/${project}/imports?new=upload`)
    const input = page.getByLabel('Files to upload')
    await input.waitFor({ state: 'attached' })
    ours.push(await measureSeconds(() => input.setInputFiles(file).then(() => page.getByText('Uploaded').waitFor())))
    await context.close()
    peer.push(await measureSeconds(() => uploadByCurl(program, bearer, file)))
  }
  const [best, bestPeer] = [Math.min(...ours), Math.min(...peer)]
  return {
    name: 'upload of 256 MiB by the console against curl and sha256sum',
    ours: `${best.toFixed(2)} s`,
    peer: `${bestPeer.toFixed(2)} s`,
    ratio: best / bestPeer,
    goal: 'at most 1.05',
    met: best / bestPeer <= 1.05,
    note: `best of ${uploadRounds}; load average ${loadavg()[0]?.toFixed(1)}`,
  }
}
