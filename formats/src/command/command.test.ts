import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openFolder } from '../file-tree.ts'
import { openDataset } from '../layouts/index.ts'
import { drawEpisodes } from '../merge/draw.ts'
import { formatRules } from './rules.ts'

const program = fileURLToPath(new URL('../../bin/nmp-formats.mjs', import.meta.url))
const golden = fileURLToPath(new URL('../../test/golden/lerobot/', import.meta.url))
const docs = fileURLToPath(new URL('../../../docs/formats.md', import.meta.url))

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}

interface Report {
  findings: { rule: string; episode_index: number | null; sentence: string }[]
}

/** Its sample entry then names MPEG-4 Part 2. */
async function renameCodec(path: string): Promise<void> {
  const bytes = await readFile(path)
  for (const known of ['avc1', 'av01', 'hvc1', 'hev1']) {
    const at = bytes.lastIndexOf(known)
    if (at >= 0) bytes.write('mp4v', at, 'latin1')
  }
  await writeFile(path, bytes)
}

describe('nmp-formats', () => {
  test('inspect tells a person and a program what is there', async () => {
    const text = await run('inspect', join(golden, 'v3.0-lerobot-0.4.0'))
    expect(text.code).toBe(0)
    expect(text.out).toContain('3 episodes, 15 frames at 10 per second')
    expect(text.out).toContain('observation.images.front')
    expect(text.out).toContain('tasks-old-index')
    const { out } = await run('inspect', join(golden, 'v3.0-lerobot-0.4.0'), '--json')
    expect(JSON.parse(out)).toMatchObject({ layout: 'lerobot-v3', version: 'v3.0', episodes: 3, frames: 15, fps: 10 })
  })

  test('check fails when episodes had to be left out, and only then', async () => {
    expect((await run('check', join(golden, 'v2.1-lines-unordered'))).code).toBe(0)
    const bad = await run('check', join(golden, 'v2.1-data-files-bad'), '--json')
    expect(bad.code).toBe(9)
    expect(JSON.parse(bad.out)).toMatchObject({ ok: false, episodes: 1 })
    const strict = await run('check', join(golden, 'v2.1-lines-unordered'), '--fail-on', 'info', '--cut-off', 'jump=9')
    expect(strict.code).toBe(9)
    expect(strict.out).toContain('3 episodes and 15 frames are usable; 0 errors, 1 warning, 1 for information.')
    const unknown = await run('check', join(golden, 'v2.1-lines-unordered'), '--cut-off', 'jmup=9')
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no cut-off of "jmup"') })
  })

  test('check holds the statistics in meta against each other and against the data', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'stats-')), 'set')
    await cp(join(golden, 'v3.0-lerobot-0.4.0'), folder, { recursive: true })
    await writeFile(join(folder, 'meta', 'stats.json'), '{"action": {"q01": [3, 0], "q99": [1, 5], "mean": [900, 0]}}')
    const found = JSON.parse((await run('check', folder, '--json', '--without-pictures')).out) as Report
    const told = found.findings.map(({ rule, episode_index, sentence }) => [rule, episode_index, sentence])
    expect(told).toContainEqual([
      'stats-disordered',
      null,
      expect.stringContaining('q01 of dimension 0 is 3 and q99 1'),
    ])
    expect(told).toContainEqual(['stats-stale', null, expect.stringContaining('mean of dimension 0 is stated as 900')])
    // What the fixture says of each episode is all zeros.
    expect(told).toContainEqual([
      'stats-stale',
      2,
      expect.stringContaining('min of dimension 0 is stated as 0 and is 2'),
    ])
  })

  test('a video that is too short is told of even where nobody can decode it', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'codec-')), 'set')
    await cp(join(golden, 'v2.1-video-frames-differ'), folder, { recursive: true })
    for (const name of await readdir(join(folder, 'videos'), { recursive: true }))
      if (name.endsWith('.mp4')) await renameCodec(join(folder, 'videos', name))
    const found = JSON.parse((await run('check', folder, '--json')).out) as Report
    const rules = found.findings.map(({ rule }) => rule)
    expect(rules).toContain('camera-missing')
    expect(found.findings).toContainEqual(
      expect.objectContaining({
        rule: 'video-frames-differ',
        sentence: expect.stringContaining('cannot be read anyway'),
      }),
    )
  })

  test('convert writes a dataset that inspect reads, and never into a used folder', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'convert-')), 'out')
    const { code, out } = await run('convert', join(golden, 'v2.1-dtypes'), folder, '--to', 'lerobot-v3')
    expect(code).toBe(0)
    expect(out).toContain('3 episodes, 15 frames')
    expect(JSON.parse((await run('inspect', folder, '--json')).out)).toMatchObject({
      layout: 'lerobot-v3',
      episodes: 3,
    })
    await writeFile(join(folder, 'keep.txt'), 'mine')
    const again = await run('convert', join(golden, 'v2.1-dtypes'), folder)
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
    expect(await readFile(join(folder, 'keep.txt'), 'utf8')).toBe('mine')
  })

  test('merge writes one dataset of several, as the file of --map says, and tells what stands in the way', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'merge-'))
    const source = join(golden, 'v3.0-lerobot-0.4.0')
    const map = join(folder, 'map.json')
    await writeFile(map, JSON.stringify({ sources: [{}, { map: { features: { action: { unit: ['deg', 'mm'] } } } }] }))
    const refused = await run('merge', source, source, join(folder, 'out'), '--map', map)
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('deg cannot become mm') })
    for (const [recipe, sentence] of [
      [{ trim: {} }, 'sources.1.recipe of'],
      [{ resize: { width: 8 } }, '.resize must be width, height and mode'],
    ] as const) {
      await writeFile(map, JSON.stringify({ sources: [{}, { recipe }] }))
      const wrong = await run('merge', source, source, join(folder, 'out'), '--map', map)
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining(sentence) })
    }
    for (const [second, sentence] of [
      [{ samples: 3 }, 'has no key samples'],
      [{ sample: 0 }, 'sources.1.sample of'],
      [{ sample: 3, recipe: { first_n_episodes: 2 } }, 'sources.1.sample is 3, and the source has 2 such episodes'],
    ] as const) {
      await writeFile(map, JSON.stringify({ sources: [{}, second] }))
      const wrong = await run('merge', source, source, join(folder, 'out'), '--map', map)
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining(sentence) })
    }
    const second = { map: { tasks: { '*': 'another' } }, recipe: { excluded_episode_indices: [0] } }
    await writeFile(map, JSON.stringify({ sources: [{}, second] }))
    const { code, out } = await run('merge', source, source, join(folder, 'out'), '--map', map)
    expect([code, out]).toEqual([0, expect.stringContaining('5 episodes, 26 frames')])
    const suggested = await run('suggest-map', source, join(folder, 'out'))
    expect(JSON.parse(suggested.out).sources[1]).toMatchObject({ map: {}, rows: [] })
    await writeFile(map, JSON.stringify({ seed: 3, sources: [{ sample: 1 }, {}] }))
    const drawn = await run('merge', source, source, join(folder, 'drawn'), '--map', map)
    expect([drawn.code, drawn.out]).toEqual([0, expect.stringContaining('4 episodes')])
    await using dataset = await openDataset(await openFolder(join(folder, 'drawn')))
    const [first] = drawEpisodes(
      [0, 1, 2].map((episode) => ({ place: 0, episode })),
      1,
      3,
    )
    expect(dataset.getEpisode(0).length).toBe(dataset.getEpisode(1 + (first?.episode ?? 0)).length)
  })

  test('convert takes the options of a target, and says what it cannot hold', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'convert-')), 'out')
    const source = join(golden, 'v3.0-lerobot-0.4.0')
    const settings = ['--to', 'openpi-norm-stats', '--set', 'horizon=4', '--set', 'delta_mask=1']
    const { code, out } = await run('convert', source, folder, ...settings)
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining('not held: observation.images.front.'),
    })
    const { norm_stats } = JSON.parse(await readFile(join(folder, 'norm_stats.json'), 'utf8'))
    expect(Object.keys(norm_stats)).toEqual(['state', 'actions'])
    const wrong = await run('convert', source, `${folder}-2`, '--to', 'openpi-norm-stats', '--set', 'horizon=many')
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('horizon of openpi-norm-stats must be') })
    expect((await run('targets')).out).toContain('--set horizon=50')
    const both = ['--to', 'openpi-norm-stats', '--to', 'timeseries-arrow']
    const unnamed = await run('convert', source, `${folder}-3`, ...both, '--set', 'horizon=4')
    expect(unnamed).toMatchObject({ code: 1, err: expect.stringContaining('e.g. openpi-norm-stats.horizon') })
    const named = await run('convert', source, `${folder}-3`, ...both, '--set', 'openpi-norm-stats.horizon=4', '--json')
    expect(JSON.parse(named.out).map((report: { folder: string }) => report.folder)).toEqual(
      ['openpi-norm-stats', 'timeseries-arrow'].map((name) => join(`${folder}-3`, name)),
    )
  })

  test('a refusal is one sentence and exit code 1', async () => {
    const { code, err } = await run('inspect', join(golden, 'refused-v1.6'))
    expect(code).toBe(1)
    expect(err).toMatch(/^This is a LeRobot v1\.6 dataset\..*\n$/)
    expect((await run('convert', golden)).err).toContain('Name the target folder')
    expect((await run('frobnicate', golden)).code).toBe(1)
    expect((await run('--help')).out).toContain('nmp-formats convert PATH OUT')
  })
})

test('docs/formats.md lists every finding (repair: npx nmp-formats rules)', async () => {
  const text = await readFile(docs, 'utf8')
  const [, listed = ''] = /<!-- findings -->\n([\s\S]*?)\n<!-- \/findings -->/.exec(text) ?? []
  expect(listed).toBe(formatRules())
})
