import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUp, makeFolder, type Program, runAdmin, startProgram } from '../../../e2e/program.ts'
import { killCommand } from './backups/killed-command.ts'
import { createWriters, findWrong, type Writers } from './backups/timed-writers.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import type { CampaignOptions } from './options.ts'

const fullRounds = 8
const writingMs = 6_000
const publicUrl = 'http://nmp.test'

interface Place {
  program: Program
  store: string
  env: Record<string, string>
  writers: Writers
}

interface Round {
  at: string
  acknowledged: number
  begunAfter: number
  /** Acknowledged before the time, and not there. */
  lost: number
  /** Begun after the time, and there. */
  tooMany: number
  contents: number
  damaged: boolean
  killedBackups: number
  killedPrograms: number
  backupSeconds: number
  restoreSeconds: number
  folderMegabytes: number
  refused: string[]
}

/**
 * A program that is backed up while clients write to it, with kills of the program and of the backup, restored to times that a die
 * chooses: everything acknowledged before is there, nothing begun after, and every content has its bytes.
 */
export const campaignBackups = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  const random = createRandom(seed)
  const count = Math.max(1, Math.round(fullRounds * scale))
  try {
    const place = await begin()
    const rounds: Round[] = []
    for (let index = 0; index < count; index += 1) {
      const round = await runRound(place, random, index)
      rounds.push(round)
      console.log(JSON.stringify(round))
    }
    const verified = await timed(() => place.program.mustAdmin('backup', 'verify', place.store))
    console.log(`${verified.answer} in ${verified.seconds} s`)
    await place.writers.stop()
    const passed = rounds.every((round) => round.lost + round.tooMany + round.refused.length === 0 && !round.damaged)
    await writeResult({
      campaign: 'backups',
      passed,
      seed,
      scale,
      ...describeMachine(),
      rounds,
      verified: verified.answer,
      verifySeconds: verified.seconds,
    })
    console.log(passed ? 'passed' : 'FAILED')
    return passed
  } finally {
    await cleanUp()
  }
}

async function begin(): Promise<Place> {
  const folder = await makeFolder()
  const store = join(folder, 'store')
  const key = join(folder, 'key')
  await mkdir(store)
  await runAdmin({}, ['backup-key', key])
  const env = {
    NMP_PUBLIC_URL: publicUrl,
    NMP_BACKUP_DIR: store,
    NMP_BACKUP_KEY_FILE: key,
    NMP_BACKUP_SECONDS: '2',
  }
  const program = await startProgram({ env, dataDir: join(folder, 'data') })
  const bearer = await program.mustAdmin('session', 'admin@localhost', '--minutes', '600')
  const { body } = await program.call('GET', '/api/v1/users/me', { bearer })
  const writers = createWriters({ url: program.url, bearer, org: body.user.org_slugs[0] })
  await waitForCover(store, Date.now())
  return { program, store, env, writers }
}

async function runRound(place: Place, random: () => number, index: number): Promise<Round> {
  const began = Date.now()
  await sleep(writingMs / 2)
  const killed = await killCommand(backupWords(place), backupEnv(place), Math.round(random() * 2_500))
  let killedPrograms = 0
  if (index % 2 === 0) {
    await place.program.kill()
    killedPrograms = 1
    place.program = await startProgram({ env: place.env, dataDir: place.program.dataDir })
    place.writers.moveTo(place.program.url)
  }
  const taken = await timed(() => place.program.mustAdmin(...backupWords(place)))
  await sleep(writingMs / 2)
  // Any time of this round, after the first base of all.
  const at = began + Math.round(random() * (Date.now() - began))
  await waitForCover(place.store, at)
  const restored = await restoreTo(place, at)
  return {
    ...restored,
    at: new Date(at).toISOString(),
    killedBackups: killed ? 1 : 0,
    killedPrograms,
    backupSeconds: taken.seconds,
    folderMegabytes: Math.round((await sumBytes(place.store)) / 1e5) / 10,
  }
}

type Judged = Pick<
  Round,
  'acknowledged' | 'begunAfter' | 'lost' | 'tooMany' | 'contents' | 'damaged' | 'restoreSeconds' | 'refused'
>

async function restoreTo({ store, env, program, writers }: Place, at: number): Promise<Judged> {
  const dataDir = join(await makeFolder(), 'restored')
  const time = new Date(at).toISOString()
  const { answer, seconds } = await timed(() =>
    runAdmin({ NMP_DATA_DIR: dataDir, NMP_BACKUP_KEY_FILE: env.NMP_BACKUP_KEY_FILE ?? '' }, [
      'restore',
      store,
      '--at',
      time,
    ]),
  )
  const seen = writers.seenBy(at)
  const nothing = { contents: 0, damaged: true, restoreSeconds: seconds, lost: 0, tooMany: 0 }
  if (answer.code !== 0) return { ...nothing, ...seen, refused: [answer.stderr] }
  await cp(join(program.dataDir, 'secret.key'), join(dataDir, 'secret.key'))
  const restored = await startProgram({ dataDir, env: { NMP_PUBLIC_URL: publicUrl } })
  try {
    const wrong = await findWrong(restored.url, writers, at)
    const check = await restored.admin('check', '--deep', '--second-look', '0')
    const contents = Number(/contents: (\d+) checked/.exec(check.stdout + check.stderr)?.[1])
    return { ...seen, ...wrong, contents, damaged: check.code !== 0, restoreSeconds: seconds, refused: [] }
  } finally {
    await restored.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

const backupWords = ({ store }: Place): string[] => ['backup', store]

const backupEnv = ({ env, program }: Place): Record<string, string> => ({ ...env, NMP_DATA_DIR: program.dataDir })

/** Until the folder says by the names of its log that it has everything up to then. */
async function waitForCover(store: string, at: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const names = await readdir(join(store, 'chains'), { recursive: true }).catch(() => [])
    const ends = names.flatMap((name) => /-(\d{13})-(?:full|added|idle)$/.exec(name)?.[1] ?? [])
    const hasBase = names.some((name) => name.includes('base-'))
    if (hasBase && ends.some((end) => Number(end) >= at)) return
    await sleep(200)
  }
  throw new Error(`The folder does not come to ${new Date(at).toISOString()}.`)
}

async function sumBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += await stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      )
  return bytes
}

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; seconds: number }> {
  const start = performance.now()
  const answer = await work()
  return { answer, seconds: Math.round((performance.now() - start) / 100) / 10 }
}

/** mulberry32 */
function createRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
