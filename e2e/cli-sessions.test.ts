import { afterAll, beforeAll, expect, test } from 'vitest'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { cleanUp, type Program, startProgram } from './program.ts'

let program: Program
let nmp: NmpCommand

beforeAll(async () => {
  program = await startProgram({ env: { NMP_DEMO: 'account' } })
  nmp = await installCommand({ NMP_BASE_URL: program.url })
})
afterAll(cleanUp)

test('sessions are listed and ended, one by one or all others', async () => {
  const [mine = '', second = '', third = ''] = await Promise.all(
    [1, 2, 3].map(() => program.mustAdmin('session', 'admin@localhost')),
  )
  const asMine = { env: { NMP_TOKEN: mine } }
  const isOpen = async (bearer: string) => (await program.call('GET', '/api/v1/users/me', { bearer })).status === 200
  const list = async (): Promise<{ id: string; current: boolean }[]> =>
    JSON.parse((await nmp.run(['sessions', 'ls', '--json'], asMine)).stdout)
  const before = new Set((await list()).map(({ id }) => id))
  expect(await isOpen(second)).toBe(true)
  const [added] = (await list()).filter(({ id }) => !before.has(id))
  expect(added).toMatchObject({ current: false, program: expect.any(String), address: expect.any(String) })
  expect((await list()).filter(({ current }) => current)).toHaveLength(1)
  expect((await nmp.run(['sessions', 'ls'], asMine)).stdout).toContain('(this one)')

  const end = ['sessions', 'end']
  expect(await nmp.run([...end, added?.id ?? '', '-q'], asMine)).toMatchObject({ code: 0, stdout: `${added?.id}\n` })
  expect(await isOpen(second)).toBe(false)
  const again = await nmp.run([...end, added?.id ?? ''], asMine)
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining(`You have no session ${added?.id}`)])
  expect((await nmp.run(end, asMine)).code).toBe(2)
  expect((await nmp.run([...end, 'ses_1', '--others'], asMine)).code).toBe(2)

  expect(await isOpen(third)).toBe(true)
  const others = await nmp.run([...end, '--others', '--json'], asMine)
  expect(JSON.parse(others.stdout).ended).toBeGreaterThan(0)
  expect([await isOpen(third), await isOpen(mine)]).toEqual([false, true])
})
