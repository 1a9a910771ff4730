import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, startProgram } from '../../../../e2e/program.ts'
import { addPerson, type HostileGround } from './ground.ts'
import { judgeAddress } from './source-door.ts'
import type { Verdict } from './verdict.ts'

/** Where a name leads at its first look-up, its second, and so on; and what the import must be told. */
const names: [host: string, code: RegExp][] = [
  ['out-in', /source_not_allowed/],
  ['in-out', /source_not_allowed/],
  ['out+in', /source_not_allowed/],
  ['in+out', /source_not_allowed/],
  ['out-out-in', /source_not_allowed/],
]

/** A name that leads outside when it is checked, and inside when it is connected to: a program of its own, with a resolver that does so. */
export async function* judgeRebinding(ground: HostileGround): AsyncGenerator<Verdict> {
  const { inside } = ground.source
  const before = inside.connections
  const journal = join(await makeFolder(), 'look-ups')
  const resolver = new URL('./rebinding-entry.ts', import.meta.url)
  const program = await startProgram({
    env: {
      NODE_OPTIONS: `--import=${resolver}`,
      NMP_REBIND_PORT: String(inside.port),
      NMP_REBIND_JOURNAL: journal,
    },
  })
  const mallory = await addPerson(program, 'mallory')
  for (const [host, code] of names) {
    const verdict = await judgeAddress(
      { ...ground, program, mallory },
      `https://${host}.rebind.example/x.h5`,
      `a name that leads ${host}`,
    )
    const steps = (await readFile(journal, 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line.startsWith(`${host}.`))
    const words = `${verdict.words}; looked up: ${steps.map((line) => line.split(' ')[1]).join(', ') || 'never'}`
    yield { ...verdict, held: verdict.held && steps.length > 0 && code.test(verdict.words), words }
  }
  const connections = inside.connections - before
  yield { name: 'connections to a service inside by such a name', held: connections === 0, words: String(connections) }
  await program.stop()
}
