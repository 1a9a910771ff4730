import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { type Container, createContainer, docker } from './container.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { cleanUp } from './program.ts'

const execute = promisify(execFile)

describe('the image, with a read-only root file system and no capabilities', () => {
  const locked = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  let container: Container
  let nmp: NmpCommand

  beforeAll(async () => {
    container = await createContainer()
    await container.start(...locked)
    nmp = await installCommand({ NMP_BASE_URL: container.url, NMP_TOKEN: await container.createToken() })
  })
  afterAll(async () => {
    await container.cleanUp()
    await cleanUp()
  })

  test('runs as an ordinary user, and serves the console', async () => {
    expect(await container.exec('id', '-u')).toBe('1000')
    const page = await (await fetch(`${container.url}/`)).text()
    const [script] = page.match(/\/assets\/[^"]+\.js/) ?? []
    expect((await fetch(`${container.url}${script}`)).status).toBe(200)
  })

  test('says what it is: commit, licences, a list of its parts', async () => {
    const labels = JSON.parse(
      await docker('inspect', '--format', '{{json .Config.Labels}}', process.env.NMP_TEST_IMAGE ?? 'nmp'),
    )
    const { item } = (await (await fetch(`${container.url}/api/v1/version`)).json()) as { item: { commit: string } }
    expect(labels['org.opencontainers.image.revision']).toBe(item.commit)
    expect(labels['org.opencontainers.image.licenses']).toMatch(/^Apache-2\.0/)
    expect(JSON.parse(await container.exec('cat', 'sbom.cdx.json'))).toMatchObject({ bomFormat: 'CycloneDX' })
  })

  test('is not larger than it was: 300 MB on top of its base at most', () => {
    const { NMP_TEST_IMAGE_BYTES: bytes } = process.env
    if (bytes) expect(Number(bytes)).toBeLessThanOrEqual(300e6)
  })

  test('imports, exports, is stopped and removed, and another on its volume has it all', async () => {
    await nmp.mustRun('import', 'file', getFixture('lerobot/recorded-v3.0-two-cameras'), '--slug', 'two')
    // Read by the one library that the other kind does not need, through a plugin of it.
    await nmp.mustRun('import', 'file', getFixture('hdf5/robomimic_blosc_lz4.hdf5'), '--slug', 'packed')
    const recipe = join(nmp.home, 'recipe.json')
    await writeFile(recipe, '{"first_n_episodes": 1}')
    await nmp.mustRun('versions', 'create', 'two', '--recipe', recipe, '--slug', 'one')
    const archive = join(nmp.home, 'one.tar')
    await nmp.mustRun('export', 'one', '--wait', '-o', archive)
    const { stdout } = await execute('tar', ['--list', '--file', archive])
    expect(stdout).toContain('meta/info.json')
    expect(await container.stopAndRemove()).toBe(0)
    await container.start(...locked)
    expect(await nmp.json('versions', 'show', 'one')).toMatchObject({ slug: 'one' })
    await nmp.mustRun('export', 'one', '--wait', '-o', join(nmp.home, 'again.tar'))
    await execute('cmp', [archive, join(nmp.home, 'again.tar')])
  })
})
