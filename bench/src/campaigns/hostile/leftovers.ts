import { readdir, readFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkout } from '../../../../e2e/program.ts'
import type { HostileGround } from './ground.ts'
import type { Verdict } from './verdict.ts'

/** Part of every name that leads out of its folder: found anywhere else, something got out. */
export const escapeMark = 'nmp-hostile-escape'

const patienceSeconds = 60

export interface Before {
  temporary: string[]
  processes: string[]
}

export const lookBefore = async (ground: HostileGround): Promise<Before> => ({
  temporary: await readdir(ground.temporary),
  processes: await listProcesses(ground.temporary),
})

/** Whether what has ended is gone: its folders, its processes, and whatever it wanted to write elsewhere. */
export async function* judgeLeftovers(ground: HostileGround, before: Before): AsyncGenerator<Verdict> {
  const { temporary, program } = ground
  const more = async (now: Promise<string[]>, then: readonly string[]): Promise<string[]> => subtract(await now, then)
  yield await judgeNone('temporary folders that stay', () => more(readdir(temporary), before.temporary))
  yield await judgeNone('work folders that stay', () => readdir(join(program.dataDir, 'work')).catch(() => []))
  yield await judgeNone('processes that stay', () => more(listProcesses(temporary), before.processes))
  yield await judgeNone('files outside their folder', findEscapes.bind(undefined, program.dataDir))
}

async function judgeNone(name: string, list: () => Promise<string[]>): Promise<Verdict> {
  const end = Date.now() + patienceSeconds * 1000
  let left = await list()
  while (left.length > 0 && Date.now() < end) {
    await sleep(1000)
    left = await list()
  }
  return { name, held: left.length === 0, words: left.length === 0 ? 'none' : left.join(', ').slice(0, 300) }
}

/** By the files of ours that they run; told apart from those of others by the folder for temporary files, which only they know. */
async function listProcesses(temporary: string): Promise<string[]> {
  const found = await Promise.all(
    (await readdir('/proc').catch(() => []))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
        const [environment, words] = [await read('environ'), await read('cmdline')]
        return environment.includes(temporary) ? (/[\w-]+-entry\.ts/.exec(words)?.[0] ?? '') : ''
      }),
  )
  return found.filter((entry) => entry !== '')
}

function subtract(now: readonly string[], then: readonly string[]): string[] {
  const rest = [...then]
  return now.filter((one) => {
    const at = rest.indexOf(one)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

async function findEscapes(dataDir: string): Promise<string[]> {
  const places = ['/', '/etc', homedir(), tmpdir(), checkout, dirname(dataDir), dataDir, join(dataDir, 'work')]
  const names = await Promise.all(
    places.map(async (place) => (await readdir(place).catch(() => [])).map((name) => join(place, name))),
  )
  return names.flat().filter((path) => path.includes(escapeMark))
}
