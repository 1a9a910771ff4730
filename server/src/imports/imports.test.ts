import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uploadBytes } from '../../test/import-dataset.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { claimJobs } from '../jobs/statements/claim-jobs.ts'
import { openToken } from './sealed-token.ts'

let program: TestProgram
let bearer: string

beforeAll(async () => {
  program = await startProgram()
  bearer = await program.signIn(await program.addUser('ada@example.org'))
})
afterAll(() => program.close())

const path = '/api/v1/orgs/ada/projects/default/imports'
const call = (method: string, rest = '', body?: unknown, headers: Record<string, string> = {}) =>
  program.call(method, `${path}${rest}`, { bearer, headers, ...(body === undefined ? {} : { body }) })
const asked = (slug: string, more: object = {}) => ({
  source_kind: 'huggingface',
  hf_repo_id: 'lerobot/pusht',
  dataset_slug: slug,
  ...more,
})
const countJobs = async (): Promise<number> =>
  (await program.context.db.selectFrom('jobs').select('id').execute()).length

describe('a request', () => {
  test('gets a record with every field, null where there is no value', async () => {
    const { status, body } = await call('POST', '', asked('fields', { hf_revision: 'main', hf_token: 'hf_secret' }))
    expect(status).toBe(201)
    expect(body.item).toMatchObject({
      org_slug: 'ada',
      project_slug: 'default',
      dataset_slug: 'fields',
      title: 'fields',
      source_kind: 'huggingface',
      status: 'queued',
      hf_repo_id: 'lerobot/pusht',
      hf_revision: 'main',
      dataset_id: null,
      raw_object_path: null,
      report_object_path: null,
      read_model_path: null,
      hdf5: null,
      preview_assets: [],
      progress_pct: null,
      attempt_count: 0,
      max_attempts: 3,
      claim_epoch: 0,
      consistency_status: 'unknown',
    })
    expect(JSON.stringify(body)).not.toContain('hf_secret')
  })

  test.each([
    ['without its source', { source_kind: 'hdf5', dataset_slug: 'a' }, 'upload_ids'],
    ['for the hub without a repository', { source_kind: 'huggingface', dataset_slug: 'a' }, 'hf_repo_id'],
    ['with two sources', asked('a', { source_uri: 'https://example.org/a.tar' }), 'source_uri'],
    [
      'from a private address',
      { source_kind: 'lerobot', dataset_slug: 'a', source_uri: 'https://127.1/a' },
      'source_uri',
    ],
    ['by plain http', { source_kind: 'lerobot', dataset_slug: 'a', source_uri: 'http://example.org/a' }, 'source_uri'],
    ['with an unknown upload', { source_kind: 'lerobot', dataset_slug: 'a', upload_ids: ['upl_x'] }, 'upload_ids'],
    ['with an invalid slug', asked('A b'), 'dataset_slug'],
    [
      'with a fingerprint in capitals',
      asked('a', { idempotency_fingerprint: 'A'.repeat(64) }),
      'idempotency_fingerprint',
    ],
  ])('%s is a 422 that names the place', async (_, body, place) => {
    const before = await countJobs()
    const answer = await call('POST', '', body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail.map(({ loc }: { loc: string[] }) => loc.slice(0, 2))).toContainEqual(['body', place])
    expect(await countJobs()).toBe(before)
  })

  test('with a signed address shows the place and not the signature', async () => {
    const uri = 'https://data.example.org/a.tar?version=2&X-Amz-Signature=abc123'
    const { body } = await call('POST', '', { source_kind: 'lerobot', dataset_slug: 'signed', source_uri: uri })
    expect(body.item.source_uri).toBe('https://data.example.org/a.tar?version=2&X-Amz-Signature=hidden')
  })

  test('that is malformed is told so before anybody asks whether the project exists', async () => {
    const sourceless = { source_kind: 'hdf5', dataset_slug: 'a' }
    const absent = await program.call('POST', '/api/v1/orgs/nobody/projects/none/imports', { bearer, body: sourceless })
    expect(absent.status).toBe(422)
  })

  test('for an archived project is refused', async () => {
    await program.call('POST', '/api/v1/orgs/ada/projects', { bearer, body: { slug: 'old' } })
    await program.call('PATCH', '/api/v1/orgs/ada/projects/old', { bearer, body: { status: 'archived' } })
    const answer = await program.call('POST', '/api/v1/orgs/ada/projects/old/imports', { bearer, body: asked('a') })
    expect(answer.status).toBe(409)
  })
})

describe('an idempotency key', () => {
  test('makes one job of fifty equal requests at once', async () => {
    const before = await countJobs()
    const body = asked('fifty', { idempotency_key: 'fifty' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => call('POST', '', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    expect(new Set(answers.map((answer) => answer.body.item.id)).size).toBe(1)
    for (const { status, headers } of answers)
      expect(headers.get('idempotency-replayed')).toBe(status === 200 ? 'true' : null)
    expect(await countJobs()).toBe(before + 1)
  })

  test('stands in the body or the header, in both when they are equal', async () => {
    const first = await call('POST', '', asked('header'), { 'idempotency-key': 'h' })
    expect(first.status).toBe(201)
    const again = await call('POST', '', asked('header', { idempotency_key: 'h' }), { 'idempotency-key': 'h' })
    expect([again.status, again.body.item.id]).toEqual([200, first.body.item.id])
    const differs = await call('POST', '', asked('header', { idempotency_key: 'other' }), { 'idempotency-key': 'h' })
    expect(differs.status).toBe(422)
  })

  test('of another request is refused, whatever the order of its fields or the token', async () => {
    const body = asked('order', { idempotency_key: 'order', options: { fps: 30, task: 'ä' }, hf_token: 'one' })
    const first = await call('POST', '', body)
    const { options, ...rest } = body as typeof body & { options: object }
    const turned = await call('POST', '', {
      hf_token: 'two',
      options: { task: 'ä', fps: 30.0 },
      ...rest,
      hf_revision: undefined,
    })
    expect([turned.status, turned.body.item.id]).toEqual([200, first.body.item.id])
    const other = await call('POST', '', { ...body, title: 'other' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reuse'])
    void options
  })

  test('is held against the RFC 8785 form of the body, or the fingerprint that was given', async () => {
    const canonical = '{"dataset_slug":"print","hf_repo_id":"lerobot/pusht","source_kind":"huggingface"}'
    const { body } = await call('POST', '', asked('print', { idempotency_key: 'print', hf_token: 'x' }))
    const fingerprint = createHash('sha256').update(canonical).digest('hex')
    expect(body.item.idempotency_fingerprint).toBe(fingerprint)
    const given = 'ab'.repeat(32)
    const mine = await call('POST', '', asked('mine', { idempotency_key: 'mine', idempotency_fingerprint: given }))
    const same = await call(
      'POST',
      '',
      asked('mine', { title: 'x', idempotency_key: 'mine', idempotency_fingerprint: given }),
    )
    expect([same.status, same.body.item.id]).toEqual([200, mine.body.item.id])
  })

  test('that was refused is not used up', async () => {
    const refused = await call('POST', '', {
      source_kind: 'hdf5',
      dataset_slug: 'a',
      upload_ids: ['upl_x'],
      idempotency_key: 'again',
    })
    expect(refused.status).toBe(422)
    expect((await call('POST', '', asked('again', { idempotency_key: 'again' }))).status).toBe(201)
  })

  test('finds its import', async () => {
    const created = await call('POST', '', asked('found', { idempotency_key: 'found' }))
    const { id, idempotency_fingerprint: print } = created.body.item
    const found = await call('POST', '/lookup', { idempotency_key: 'found', idempotency_fingerprint: print })
    expect([found.status, found.body.item.id]).toEqual([200, id])
    const differs = await call('POST', '/lookup', { idempotency_key: 'found', idempotency_fingerprint: '0'.repeat(64) })
    expect([differs.status, differs.body.code]).toEqual([409, 'idempotency_key_reuse'])
    expect(differs.body.detail).toContain('Look it up without a fingerprint')
    expect((await call('POST', '/lookup', { idempotency_key: 'never' })).status).toBe(404)
    for (const body of [{}, { idempotency_key: '' }, { idempotency_key: 'x'.repeat(201) }, { idempotency_key: 5 }])
      expect((await call('POST', '/lookup', body)).status).toBe(422)
  })
})

describe('the list', () => {
  test('is newest first, by status, by text, and in pages', async () => {
    for (const slug of ['list-a', 'list-b', 'list-c'])
      await call('POST', '', asked(slug, { title: 'Cups % of_tea', idempotency_key: `key-${slug}` }))
    const slugsOf = ({ body }: Awaited<ReturnType<typeof call>>) =>
      body.items.map((item: { dataset_slug: string }) => item.dataset_slug)
    expect(slugsOf(await call('GET', '?q=list-&limit=2'))).toEqual(['list-c', 'list-b'])
    const first = await call('GET', '?q=list-&limit=2')
    expect(slugsOf(await call('GET', `?q=list-&limit=2&cursor=${first.body.next_cursor}`))).toEqual(['list-a'])
    expect(slugsOf(await call('GET', `?q=${encodeURIComponent('% OF_')}`))).toHaveLength(3)
    expect(slugsOf(await call('GET', '?q=key-list-a'))).toEqual(['list-a'])
    expect(slugsOf(await call('GET', '?status=succeeded'))).toEqual([])
    for (const query of ['status=bogus', 'limit=0', 'limit=201', 'q=', `q=${'x'.repeat(201)}`, 'cursor=%25'])
      expect((await call('GET', `?${query}`)).status, query).toBe(422)
  })
})

describe('a cancel', () => {
  test('ends a queued import at once, twice with the same answer, and forgets its token', async () => {
    const { id } = (await call('POST', '', asked('cancel', { hf_token: 'hf_secret' }))).body.item
    const { db } = program.context
    const sealed = await db.selectFrom('imports').select('hf_token').where('id', '=', id).executeTakeFirstOrThrow()
    expect(sealed.hf_token?.toString('latin1')).not.toContain('hf_secret')
    expect(await openToken(db, program.context.secrets, id, sealed.hf_token ?? Buffer.alloc(0))).toBe('hf_secret')
    await expect(
      openToken(db, program.context.secrets, 'imp_other', sealed.hf_token ?? Buffer.alloc(0)),
    ).rejects.toThrow('cannot be decrypted')
    const first = await call('POST', `/${id}/cancel`)
    expect([first.status, first.body.item.status]).toEqual([200, 'canceled'])
    const second = await call('POST', `/${id}/cancel`)
    expect(second.body).toEqual(first.body)
    const after = await db.selectFrom('imports').select('hf_token').where('id', '=', id).executeTakeFirstOrThrow()
    expect(after.hf_token).toBeNull()
    const audits = await db.selectFrom('audit_events').selectAll().where('resource_id', '=', id).execute()
    expect(JSON.stringify(audits)).not.toContain('hf_secret')
    expect(audits.map(({ action }) => action)).toEqual(['import.create', 'import.cancel'])
  })

  test('of a running import is taken down and answered while it still runs', async () => {
    const { id } = (await call('POST', '', asked('running'))).body.item
    const { db } = program.context
    const claim = { workerName: 'w', deadlineSecondsByKind: { import: 60 }, leaseSeconds: 60, maxRunningPerOrg: 99 }
    await claimJobs(db, { ...claim, count: 99 })
    const { body, status } = await call('POST', `/${id}/cancel`)
    expect([status, body.item.status, body.item.cancel_requested_at === null]).toEqual([200, 'running', false])
  })
})

describe('a retry', () => {
  test('is a new import of the same source, and only of a final one', async () => {
    const uploadId = await uploadBytes(program, bearer, 'a.hdf5', Buffer.from('not a file'))
    const body = { source_kind: 'hdf5', dataset_slug: 'retry', upload_ids: [uploadId], options: { fps: 10 } }
    const { id } = (await call('POST', '', { ...body, idempotency_key: 'retry' })).body.item
    expect(await call('POST', `/${id}/retry`)).toMatchObject({ status: 409, body: { code: 'import_not_finished' } })
    await call('POST', `/${id}/cancel`)
    const { status, body: answer } = await call('POST', `/${id}/retry`)
    expect(status).toBe(201)
    expect(answer.item).toMatchObject({ retry_of: id, status: 'queued', dataset_slug: 'retry', idempotency_key: null })
    const { db } = program.context
    const rows = await db.selectFrom('upload_claims').select('import_id').where('upload_id', '=', uploadId).execute()
    expect(rows.map((row) => row.import_id).sort()).toEqual([id, answer.item.id].sort())
    await call('POST', `/${answer.item.id}/cancel`)
    const changed = await call('POST', `/${answer.item.id}/retry`, { options: { fps: 25, task: 'lift' } })
    expect(changed.body.item.idempotency_fingerprint).not.toBe(answer.item.idempotency_fingerprint)
    const kept = await db.selectFrom('imports').select('options').where('id', '=', changed.body.item.id).execute()
    expect(kept).toEqual([{ options: { fps: 25, task: 'lift' } }])
    const refused = await call('POST', `/${answer.item.id}/retry`, { options: { fps: 0 } })
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'options', 'fps']])
  })
})
