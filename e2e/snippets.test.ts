import { execFile } from 'node:child_process'
import { chmod, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getFixture } from '../fixtures/fixture.ts'
import { downloadLine, inviteLine, tryLine } from '../web/src/parts/snippets.ts'
import { installCommand, type NmpCommand } from './nmp-command.ts'
import { waitFor } from './processes.ts'
import { checkout, cleanUp, makeFolder, type Program, startProgram } from './program.ts'

/** What the console gives to paste, pasted. Python's lines run in `.ci/python-door`, where lerobot is. */
const execute = promisify(execFile)
const place = { org_slug: 'admin', project_slug: 'default' }

let program: Program
let nmp: NmpCommand
let token: string
let datasetId: string
let path: string

beforeAll(async () => {
  program = await startProgram()
  nmp = await installCommand()
  const bin = await makeFolder()
  await writeFile(join(bin, 'nmp'), `#!/bin/sh\nexec node '${nmp.path}' "$@"\n`)
  await chmod(join(bin, 'nmp'), 0o755)
  path = `${bin}:${nmp.environment.PATH}`
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  const scopes = ['workspace:read', 'imports:write']
  const made = await program.call('POST', '/api/v1/users/me/tokens', { bearer, body: { name: 'snippets', scopes } })
  token = made.body.token
  const client = createClient({ baseUrl: program.url, token })
  const where = { orgSlug: 'admin', projectSlug: 'default' }
  const sent = await uploadPaths(client.transport, [getFixture('lerobot/recorded-v2.1')], where)
  const upload_ids = sent.map(({ id }) => id)
  const request = { source_kind: 'lerobot', dataset_slug: 'cups', title: 'Stack of cups', upload_ids } as const
  const { item } = await client.imports.createImport({ ...place, body: request })
  const look = async () => (await client.imports.getImport({ ...place, job_id: item.id })).item
  await waitFor('the import to end', async () => (await look()).status === 'succeeded', 180)
  datasetId = (await look()).dataset_id ?? ''
}, 300_000)
afterAll(cleanUp)

const paste = async (line: string, more: Record<string, string> = {}, folder?: string) => {
  const cwd = folder ?? (await makeFolder())
  const env = { ...nmp.environment, PATH: path, ...more }
  return { cwd, ...(await execute('bash', ['-euc', line], { cwd, env })) }
}

test('a new token lists the datasets as it is shown', async () => {
  expect((await paste(tryLine(program.url, token))).stdout).toContain('cups')
})

test('the link for somebody who is invited and got no mail is printed in the folder of the program', async () => {
  const email = 'mira@example.org'
  const bearer = await program.mustAdmin('session', 'admin@localhost')
  await program.call('POST', '/api/v1/orgs/admin/invites', { bearer, body: { email } })
  const { stdout } = await paste(inviteLine('admin', email), { NMP_DATA_DIR: program.dataDir }, checkout)
  expect(await (await fetch(stdout.trim())).text()).toContain(email)
})

test("Use in Python's download brings the files", async () => {
  const env = { NMP_BASE_URL: program.url, NMP_TOKEN: token }
  const { cwd } = await paste(downloadLine(datasetId), env)
  const [made = ''] = await readdir(cwd)
  const { stdout } = await execute('tar', ['-tf', join(cwd, made)])
  expect(stdout).toMatch(/(^|\/)meta\/info\.json$/m)
})
