import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as oidc from 'openid-client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../../test/browser.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { signIn } from '../../test/oidc-client.ts'
import { addPerson, startSignInProgram } from '../../test/sign-in-program.ts'
import { resetSecrets, rotateSecrets } from '../admin/secrets-commands.ts'
import { createApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { createSecretBox } from './box.ts'
import { createKey } from './key-file.ts'

/** What somebody has who has only the database. */
let database: TestDatabase
let folder: string
const email = 'ada@example.com'
const password = 'correct horse battery'

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'nmp-secrets-'))
  await addPerson(database.db, email, password)
})
afterAll(async () => {
  await database?.close()
  await rm(folder, { recursive: true, force: true })
})

/** With the key of a data folder, as an operator's own machine has it. */
const start = (settings: Record<string, string> = {}) =>
  startSignInProgram(database.db, { NMP_SECRET_KEY: '', NMP_DATA_DIR: folder, ...settings })
const signInAt = (origin: string) => {
  const browser = createBrowser(origin)
  return signIn({ origin, browser, act: () => browser.submit({ email, password }) })
}
const readAll = async (): Promise<string> => {
  const texts = await Promise.all(
    ['program_settings', 'oidc_payloads'].map((table) => database.pool.query(`select t::text as row from ${table} t`)),
  )
  return texts.flatMap(({ rows }) => rows.map(({ row }) => row as string)).join('\n')
}
const admin = (command: typeof rotateSecrets, env: Record<string, string>, options = {}) =>
  command.run({ ...database, isEmbedded: false, config: loadConfig(env) }, [], options)

test('nothing that is stored opens anything: keys, refresh tokens and sessions are sealed, the key is a file of its owner', async () => {
  const program = await start()
  const { refreshToken, client } = await signInAt(program.origin)
  const stored = await readAll()
  expect(stored).not.toContain(refreshToken)
  expect(stored).not.toMatch(/"d": ?"/)
  const { rows } = await database.pool.query(
    `select name, value from program_settings where name like '%key%' and name <> 'secret_key'`,
  )
  expect(rows.map(({ name }) => name).toSorted()).toEqual([
    'cookie_keys',
    'media_url_key',
    'object_url_key',
    'signing_keys',
  ])
  for (const { value } of rows) expect(Object.keys(value)).toEqual(['sealed'])
  expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect((await oidc.refreshTokenGrant(client, refreshToken)).access_token).toBeTruthy()
  await program.stop()
})

test('what a program before this one stored in the clear is sealed at the next start, and still works', async () => {
  const program = await start()
  const { refreshToken, client } = await signInAt(program.origin)
  await program.stop()
  const { sealed, id } = await findRefreshToken(refreshToken)
  await database.pool.query(`update oidc_payloads set id = $1, payload = payload - 'sealed' || $2 where id = $3`, [
    refreshToken,
    { jti: refreshToken },
    id,
  ])
  await database.pool.query(
    `update program_settings set value = '"an old key in the clear"' where name = 'media_url_key'`,
  )
  expect(sealed).toBeTruthy()
  const next = await startSignInProgram(database.db, {
    NMP_SECRET_KEY: '',
    NMP_DATA_DIR: folder,
    NMP_PUBLIC_URL: program.origin,
  })
  expect(await readAll()).not.toContain(refreshToken)
  expect(await readAll()).not.toContain('in the clear')
  expect(next.context.mediaUrlKey).toBe('an old key in the clear')
  const address = new URL(client.serverMetadata().token_endpoint ?? '')
  const answer = await fetch(`${next.origin}${address.pathname}`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: 'nmp-console' }),
  })
  expect(answer.status).toBe(200)
  await next.stop()
})

const findRefreshToken = async (token: string): Promise<{ id: string; sealed: string }> => {
  const { rows } = await database.pool.query(
    `select id, payload->>'sealed' as sealed from oidc_payloads where model = 'RefreshToken'
     and id = rtrim(translate(encode(sha256($1::bytea), 'base64'), '+/', '-_'), '=')`,
    [token],
  )
  return rows[0]
}

test('a process with another key, or none, is refused at its start with what to do', async () => {
  const open = (env: Record<string, string>) =>
    createApp({
      config: loadConfig(env),
      log: pino({ level: 'silent' }),
      db: database.db,
      publicUrl: 'http://127.0.0.1',
    })
  await expect(open({ NMP_SECRET_KEY: createKey(), NMP_DATA_DIR: folder })).rejects.toThrow(
    /encrypted with the key \w{16}, and NMP_SECRET_KEY holds another.*Every process of one database needs the same key/,
  )
  const empty = join(folder, 'elsewhere')
  await expect(open({ NMP_DATA_DIR: empty })).rejects.toThrow(
    /secret\.key does not exist and NMP_SECRET_KEY is not set/,
  )
  await expect(open({ NMP_SECRET_KEY: 'short', NMP_DATA_DIR: folder })).rejects.toThrow('too short to be a key')
})

test('one command rotates the key while the program runs, and sessions go on', async () => {
  const program = await start()
  const { refreshToken, client } = await signInAt(program.origin)
  const before = await database.pool.query(`select value from program_settings where name = 'secret_key'`)
  expect(await admin(rotateSecrets, { NMP_DATA_DIR: folder })).toContain('holds the new key')
  const after = await database.pool.query(`select value from program_settings where name = 'secret_key'`)
  expect(after.rows).not.toEqual(before.rows)
  const tokens = await oidc.refreshTokenGrant(client, refreshToken)
  expect(await program.askWho(tokens.access_token)).toEqual({ status: 200, email })
  await program.stop()

  // To a key that is set: the file counts no more.
  const [old, next] = [createKey(), createKey()]
  await admin(resetSecrets, { NMP_SECRET_KEY: old, NMP_DATA_DIR: folder }, { yes: true })
  const set = await start({ NMP_SECRET_KEY: old })
  await signInAt(set.origin)
  await set.stop()
  await expect(admin(rotateSecrets, { NMP_SECRET_KEY: old })).rejects.toThrow('set NMP_SECRET_KEY_NEXT')
  await admin(rotateSecrets, { NMP_SECRET_KEY: old, NMP_SECRET_KEY_NEXT: next })
  await expect(start({ NMP_SECRET_KEY: old })).rejects.toThrow('holds another')
  const rotated = await start({ NMP_SECRET_KEY: next })
  expect((await signInAt(rotated.origin)).accessToken).toBeTruthy()
  await rotated.stop()
})

test('a sealed text opens in its own place only, and not when it was changed', () => {
  const box = createSecretBox(createKey())
  const sealed = box.seal('a secret', 'row 1')
  expect(box.open(sealed, 'row 1')).toBe('a secret')
  expect(() => box.open(sealed, 'row 2')).toThrow()
  const at = sealed.length - 8
  expect(() =>
    box.open(`${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`, 'row 1'),
  ).toThrow()
  expect(() => createSecretBox(createKey()).open(sealed, 'row 1')).toThrow('another key')
})
