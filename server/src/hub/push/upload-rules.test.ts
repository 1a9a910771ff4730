import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Json, openDoor } from '../../../test/hub-door.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'

/** Which way files are sent, as the repository's own `.gitattributes` and `.gitignore` say. */
let program: TestProgram
let door: ReturnType<typeof openDoor>

beforeAll(async () => {
  program = await startProgram()
  const ada = await program.addUser('ada@example.org')
  door = openDoor(program, await program.makeToken(ada, ['workspace:read', 'imports:write']))
})
afterAll(() => program.close())

const attributes = '*.csv filter=lfs diff=lfs merge=lfs -text\nsmall/** -filter\n*.parquet !filter\n'
const files = [
  { path: 'a.csv', size: 10 },
  { path: 'small/a.csv', size: 10 },
  { path: 'small/b.png', size: 10 },
  { path: 'c.parquet', size: 10 },
  { path: 'notes.txt', size: 10 },
  { path: 'small/long.csv', size: 2_000_000 },
  { path: 'empty.csv', size: 0 },
]
const withRules = ['lfs', 'regular', 'regular', 'lfs', 'regular', 'lfs', 'regular']
const withoutRules = ['regular', 'regular', 'lfs', 'lfs', 'regular', 'lfs', 'regular']

const plan = async (name: string, request: object = {}): Promise<Json[]> => {
  const { body } = await door.ask('POST', `/api/datasets/ada/${name}/preupload/main`, { files, ...request })
  return body.files
}
const modes = (planned: Json[]) => planned.map(({ uploadMode }) => uploadMode).slice(0, files.length)

test('without rules the suffix and the size decide', async () => {
  expect(modes(await plan('bare'))).toEqual(withoutRules)
})

test('those of the repository count for what is sent, and for how it is read', async () => {
  await door.commit('ada/ruled', { '.gitattributes': attributes, 'a.csv': '1,2', 'small/a.csv': '3,4' })
  expect(modes(await plan('ruled'))).toEqual(withRules)
  const { body: tree } = await door.ask('GET', '/api/datasets/ada/ruled/tree/main?recursive=true')
  const large = tree.filter(({ lfs }: Json) => lfs).map(({ path }: Json) => path)
  expect(large).toEqual(['a.csv'])
  await door.commit('ada/ruled', { '.gitattributes': null })
  expect(modes(await plan('ruled'))).toEqual(withoutRules)
  const { body: after } = await door.ask('GET', '/api/datasets/ada/ruled/tree/main?recursive=true')
  expect(after.filter(({ lfs }: Json) => lfs)).toEqual([])
})

test('those that a client hands in, or is about to send, count before them', async () => {
  await door.commit('ada/handed', { '.gitattributes': '*.txt filter=lfs' })
  expect(modes(await plan('handed', { gitAttributes: attributes }))).toEqual(withRules)
  const sample = Buffer.from(attributes).toString('base64')
  const sent = [...files, { path: '.gitattributes', size: attributes.length, sample }]
  expect(modes(await plan('handed', { files: sent }))).toEqual(withRules)
  expect(modes(await plan('handed', { gitAttributes: 7 }))).toEqual(withoutRules.with(4, 'lfs'))
})

test('.gitignore leaves files out: that of the request, or of the repository', async () => {
  const left = (planned: Json[]) => planned.filter(({ shouldIgnore }) => shouldIgnore).map(({ path }) => path)
  expect(left(await plan('ignoring'))).toEqual([])
  expect(left(await plan('ignoring', { gitIgnore: 'small/\n*.txt\n' }))).toEqual([
    'small/a.csv',
    'small/b.png',
    'notes.txt',
    'small/long.csv',
  ])
  await door.commit('ada/ignoring', { '.gitignore': '*.txt' })
  expect(left(await plan('ignoring'))).toEqual(['notes.txt'])
  expect(left(await plan('ignoring', { gitIgnore: '' }))).toEqual([])
})
