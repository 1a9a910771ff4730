import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushFiles } from '../../test/hub-push.ts'
import { startProgram, type TestProgram } from '../../test/program.ts'
import { publishRecording } from '../../test/published-dataset.ts'
import { createProject } from '../organizations/projects/service.ts'
import { createOrg } from '../organizations/service.ts'
import { getTestS3Endpoint, s3Settings } from '../storage/s3/s3-server.contract.ts'

describe('the Hub door on S3', () => {
  let program: TestProgram
  let token: string

  beforeAll(async () => {
    const endpoint = getTestS3Endpoint()
    program = await startProgram({ ...s3Settings(endpoint), NMP_S3_PUBLIC_ENDPOINT: endpoint })
    const { db } = program.context
    const user = await program.addUser('s3@example.org')
    token = await program.makeToken(user, ['workspace:read', 'imports:write'])
    const org = await createOrg(db, 'operator', { slug: 's3-lab', name: 'Lab', adminUserId: user.id })
    const project = await createProject(db, 'operator', { orgId: org.id, slug: 'default', name: 'Lab' })
    await publishRecording(program.context, { orgId: org.id, projectId: project.id, slug: 'recording' }, [5, 4])
  })
  afterAll(() => program.close())

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${program.url}/hf/datasets/s3-lab/${path}`, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    })

  test('a download is sent to the store by a signed address, which knows nothing of the token and takes Range', async () => {
    const path = 'recording/resolve/main/data/chunk-000/file-000.parquet'
    const head = await ask(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    const sizeBytes = Number(head.headers.get('content-length'))
    const redirect = await ask(path)
    expect([redirect.status, Number(redirect.headers.get('content-length'))]).toEqual([302, 0])
    expect(redirect.headers.get('x-repo-commit')).toBe(head.headers.get('x-repo-commit'))
    expect(redirect.headers.get('x-linked-etag')).toBe(head.headers.get('etag'))
    expect(redirect.headers.get('x-linked-size')).toBe(String(sizeBytes))
    const location = redirect.headers.get('location') ?? ''
    expect(location).not.toContain(token)
    const whole = Buffer.from(await (await fetch(location)).arrayBuffer())
    expect(`"${createHash('sha256').update(whole).digest('hex')}"`).toBe(head.headers.get('etag'))
    const part = await fetch(location, { headers: { range: 'bytes=10-19' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, whole.subarray(10, 20)])
  })

  test('a push is kept there and read back', async () => {
    const content = Buffer.alloc(300_000, 'noise')
    await pushFiles({ url: program.url, token }, 's3-lab/pushed', [
      { path: 'data/x.bin', content },
      { path: 'a.txt', content: Buffer.from('a') },
    ])
    for (const [path, expected] of [
      ['data/x.bin', content],
      ['a.txt', Buffer.from('a')],
    ] as const) {
      const answer = await ask(`pushed/resolve/main/${path}`, { redirect: 'follow' })
      expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true)
    }
  })
})
