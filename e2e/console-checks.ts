import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** With the bearer of the page, as the console keeps it. */
export const apiGet = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(
    `fetch('${path}', { headers: { authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('nmp.session')).accessToken } }).then((answer) => answer.json())`,
  )

/** How much the shown picture of the main camera differs from posters, each named by episode and frame. */
const compare = (
  page: Page,
  dataset: string,
  posters: readonly [episode: number, frame: number][],
): Promise<number[]> =>
  page.evaluate<number[]>(`(async () => {
    const read = (source) => {
      const canvas = new OffscreenCanvas(96, 72)
      const paint = canvas.getContext('2d', { willReadFrequently: true })
      paint.drawImage(source, 0, 0, 96, 72)
      return paint.getImageData(0, 0, 96, 72).data
    }
    const shown = read(document.querySelector('.camera.main video'))
    const token = JSON.parse(sessionStorage.getItem('nmp.session')).accessToken
    const headers = { authorization: 'Bearer ' + token }
    const { item } = await (await fetch('/api/v1/catalog/datasets/${dataset}', { headers })).json()
    const camera = item.observation.cameras[0].key
    const results = []
    for (const [episode, frame] of ${JSON.stringify(posters)}) {
      const query = new URLSearchParams({ episode, camera, frame, width: '640' })
      const answer = await fetch('/api/v1/media/' + item.id + '/' + item.revision_id + '/poster?' + query, { headers })
      const poster = read(await createImageBitmap(await answer.blob()))
      let sum = 0
      for (let i = 0; i < poster.length; i++) sum += Math.abs(poster[i] - shown[i])
      results.push(sum / poster.length)
    }
    return results
  })()`)

/** Waits until the video has the frame that the readout names. */
async function waitForFrame(page: Page): Promise<number> {
  await expect
    .poll(async () => {
      const shown = await page.locator('.camera.main video').getAttribute('data-shown')
      return shown === (await page.getByTestId('frame').textContent())
    })
    .toBe(true)
  return Number(await page.getByTestId('frame').textContent())
}

const readEpisode = (page: Page): number => Number(/episodes\/(\d+)/.exec(page.url())?.[1])

/** Of the posters around the frame in the readout, the one that the video looks like must be that very frame. */
export async function expectSameFrame(page: Page, dataset: string): Promise<void> {
  const frame = await waitForFrame(page)
  const offsets = [-3, -2, -1, 0, 1, 2, 3].filter((offset) => frame + offset >= 0)
  const episode = readEpisode(page)
  const differences = await compare(
    page,
    dataset,
    offsets.map((offset) => [episode, frame + offset]),
  )
  const nearest = offsets[differences.indexOf(Math.min(...differences))]
  expect(nearest, `frame ${frame}: ${differences.map((one) => one.toFixed(2))}`).toBe(0)
}

/** The picture is the episode's first one, and not the last of the episode before it in the same file. */
export async function expectFirstFrame(page: Page, dataset: string, lastFrameBefore: number): Promise<void> {
  expect(await waitForFrame(page)).toBe(0)
  const episode = readEpisode(page)
  const [own = 0, neighbour = 0] = await compare(page, dataset, [
    [episode, 0],
    [episode - 1, lastFrameBefore],
  ])
  expect(own, `first frame of episode ${episode}: ${own}, last of the one before: ${neighbour}`).toBeLessThan(neighbour)
}

export async function dragBy(page: Page, selector: string, x: number): Promise<void> {
  const box = await page.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} is not there`)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
}

/** Content of a file of a tar archive, by the end of its path. */
export function readTarFile(tar: Buffer, path: string): string {
  for (let at = 0; at + 512 <= tar.length; ) {
    const name = tar
      .subarray(at, at + 100)
      .toString()
      .replace(/\0.*$/s, '')
    const size = Number.parseInt(tar.subarray(at + 124, at + 136).toString(), 8) || 0
    if (name.endsWith(path)) return tar.subarray(at + 512, at + 512 + size).toString()
    at += 512 + Math.ceil(size / 512) * 512
  }
  throw new Error(`${path} is not in the archive`)
}

/** Presses that button, and waits on the page of the import it began: behind the form the one before is open, and ended. */
export async function importBy(page: Page, button: string): Promise<void> {
  const [begun] = await Promise.all([
    page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && /\/imports(\/\w+\/retry)?$/.test(answer.url()),
    ),
    page.getByRole('button', { name: button }).click(),
  ])
  const { id }: { id: string } = (await begun.json()).item
  await page.waitForURL(({ pathname }) => pathname.endsWith(`/imports/${id}`))
  await page.locator('.import-head', { hasText: id }).waitFor()
  await page.getByTestId('import-status').filter({ hasText: 'Imported' }).waitFor({ timeout: 400_000 })
}
