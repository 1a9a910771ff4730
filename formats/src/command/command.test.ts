import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
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
