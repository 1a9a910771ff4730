import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { getChromium, launchBrowser, openPage } from './console-browser.ts'
import { openSignedIn, waitForCalm } from './console-pages.ts'
import { waitFor } from './processes.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

const place = { org_slug: 'admin', project_slug: 'default' }

describe('the status page', { timeout: 240_000 }, () => {
  let program: Program
  let browser: Browser
  let bearer: string

  beforeAll(async () => {
    program = await startProgram()
    browser = await launchBrowser(getChromium())
    bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '60')
    await importRecording()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await program?.stop()
    await cleanUp()
  }, 120_000)

  async function importRecording(): Promise<void> {
    const scopes = ['workspace:read', 'imports:write']
    const { body } = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'status', scopes } })
    const client = createClient({ baseUrl: program.url, token: body.token })
    const where = { orgSlug: 'admin', projectSlug: 'default' }
    const sent = await uploadPaths(client.transport, [getFixture('lerobot/recorded-v2.1')], where)
    const request = {
      source_kind: 'lerobot',
      dataset_slug: 'kept',
      title: 'Kept',
      upload_ids: sent.map(({ id }) => id),
    } as const
    const { item } = await client.imports.createImport({ ...place, body: request })
    const look = async () => (await client.imports.getImport({ ...place, job_id: item.id })).item
    await waitFor('the import to end', async () => (await look()).status === 'succeeded', 180)
  }

  const read = () =>
    fetch(`${program.url}/hf/datasets/admin/kept/resolve/main/meta/info.json`, {
      headers: { authorization: `Bearer ${bearer}` },
    })

  /** Turns one bit of every object with these bytes. */
  async function spoil(good: Buffer): Promise<void> {
    const folder = join(program.dataDir, 'objects')
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name)
      if ((await stat(path)).isFile() && good.equals(await readFile(path))) {
        const bad = Buffer.from(good)
        bad[0] = (bad[0] ?? 0) ^ 1
        await writeFile(path, bad)
      }
    }
  }

  test('says that all is well, to everybody; the rest is for whoever runs the program', async () => {
    const stranger = await openPage(browser, { url: program.url })
    await stranger.page.goto('/status')
    await stranger.page.getByText('All is well').waitFor()
    await stranger.page.getByRole('region', { name: 'Stored contents' }).getByText('0 damaged').waitFor()
    expect(await stranger.page.getByRole('region', { name: 'Workers' }).count()).toBe(0)
    expect(stranger.faults).toEqual([])
    await stranger.context.close()

    const { page, context } = await openSignedIn(browser, program.url, bearer, 1280)
    await page.goto('/')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Status' }).click()
    await page.getByRole('heading', { name: 'Status' }).waitFor()
    const pid = await program.findProcess('worker')
    await page.getByRole('region', { name: 'Workers' }).getByText(`:${pid}`).waitFor()
    await page.getByRole('meter', { name: 'Disk of the data folder' }).waitFor()
    await page.getByText(/PostgreSQL \d+/).waitFor()
    await page.getByText('None is known').waitFor()
    await context.close()
  })

  test('names what is damaged and whom that concerns', async () => {
    const answer = await read()
    expect(answer.status).toBe(200)
    await spoil(Buffer.from(await answer.arrayBuffer()))
    expect((await read()).status).toBe(502)
    for (const width of [1280, 390]) {
      const { page, context } = await openSignedIn(browser, program.url, bearer, width)
      await page.goto('/status')
      await page.getByText('1 stored content is damaged.').waitFor()
      const damaged = page.getByRole('region', { name: 'Damaged contents' })
      await damaged.getByText('dataset/meta/info.json').first().waitFor()
      await waitForCalm(page)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      if (width === 1280) {
        await damaged.getByRole('link', { name: 'Kept' }).first().click()
        await page.waitForURL(/\/datasets\/ds_/)
      }
      await context.close()
    }
  })

  test('says when no worker runs, and what went wrong when it cannot be read', async () => {
    const { page, context } = await openSignedIn(browser, program.url, bearer, 1280)
    // The worker is held, not ended: nobody starts another in its place.
    const pid = await program.findProcess('worker')
    process.kill(pid, 'SIGSTOP')
    const isAlone = async () => (await program.call('GET', '/api/v1/status')).body.item.worker_count === 0
    await waitFor('the worker to be missed', isAlone, 90)
    await page.goto('/status')
    await page.getByText('No worker runs.').waitFor()
    process.kill(pid, 'SIGCONT')
    await page.route('**/api/v1/status', (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.goto('/status')
    await page.getByText(/^The status did not load/).waitFor()
    await page.unroute('**/api/v1/status')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Jobs' }).waitFor()
    await context.close()
  })
})
