import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { listJoints } from './arm.ts'
import { createPainter } from './picture.ts'
import { episodeCount, fps, playEpisode } from './script.ts'
import { followDemo } from './service.ts'

let program: TestProgram

beforeAll(async () => {
  program = await startProgram()
  await program.addUser('admin@localhost')
})
afterAll(() => program.close())

test('every demonstration does what its task says, and those that are odd are odd', () => {
  const episodes = Array.from({ length: episodeCount }, (_, index) => playEpisode(index))
  expect(new Set(episodes.map(({ task }) => task)).size).toBe(2)
  for (const { task, oddity, scenes } of episodes) {
    const seconds = scenes.length / fps
    expect(seconds).toBeGreaterThan(oddity === 'short' ? 2 : 5)
    expect(seconds).toBeLessThan(11)
    if (oddity === 'short') continue
    const blocks = new Map(scenes.at(-1)?.blocks.map((block) => [block.name, block.position]))
    const [moved, below] = [blocks.get(task.includes('red') ? 'red' : 'green'), blocks.get('blue')]
    if (!moved || !below) throw new Error('a block is gone')
    if (task.includes('bin')) {
      expect(Math.abs(moved[0] - 0.215)).toBeLessThan(0.05)
      expect(moved[2]).toBeLessThan(0.03)
    } else expect(Math.hypot(moved[0] - below[0], moved[1] - below[1])).toBeLessThan(0.015)
  }
  const shakeOf = (index: number) => {
    const states = playEpisode(index).scenes.map(({ state }) => listJoints(state).slice(0, 5))
    const bends = states
      .slice(2)
      .map((now, at) =>
        Math.hypot(
          ...now.map((value, joint) => value - 2 * (states[at + 1]?.[joint] ?? 0) + (states[at]?.[joint] ?? 0)),
        ),
      )
    return bends.reduce((sum, one) => sum + one) / bends.length
  }
  const calm = episodes.flatMap(({ oddity }, index) => (oddity === 'none' ? [shakeOf(index)] : []))
  const jerky = episodes.flatMap(({ oddity }, index) => (oddity === 'jerky' ? [shakeOf(index)] : []))
  expect(Math.min(...jerky)).toBeGreaterThan(Math.max(...calm) * 1.5)
})

test('the same picture is drawn every time', () => {
  const scene = playEpisode(4).scenes[40]
  if (!scene) throw new Error('no such frame')
  expect(createPainter('front')(scene)).toEqual(createPainter('front')(scene))
})

test('processes that start together make one dataset, and publish it', async () => {
  program.startWorker()
  const { context } = program
  const { signal } = new AbortController()
  await Promise.all([followDemo(context, signal, 1), followDemo(context, signal, 1)])
  await followDemo(context, signal, 1)
  const { body } = await program.call('GET', '/api/v1/catalog/datasets')
  expect(body.items).toHaveLength(1)
  expect(body.items[0]).toMatchObject({ title: 'Blocks to bin, simulated arm', total_episodes: 1 })
  expect(await context.db.selectFrom('imports').select('id').execute()).toHaveLength(1)
  const refs = await context.db.selectFrom('blob_references').where('owner_kind', '=', 'demo').selectAll().execute()
  expect(refs).toEqual([])
}, 180_000)

test('where there is data already nothing is made', async () => {
  const { context } = program
  await context.db.deleteFrom('program_settings').where('name', '=', 'demo_dataset').execute()
  await followDemo(context, new AbortController().signal, 1)
  expect(await context.db.selectFrom('imports').select('id').execute()).toHaveLength(1)
})
