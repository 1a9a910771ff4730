import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishRecording } from '../../../test/published-dataset.ts'
import { uploadText } from '../../../test/robot-requests.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

const base = '/api/v1/orgs/robot-lab/projects/lab'
const urdf = '<?xml version="1.0"?><robot name="arm"><link name="base"/></robot>'

let program: TestProgram
let bearer: string
let datasetId: string
let answer: RequestListener
let site: string
const elsewhere = createServer((request, response) => answer(request, response))

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, `${base}${path}`, { bearer, ...(body === undefined ? {} : { body }) })

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  const hostPort = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  site = `http://${hostPort}`
  program = await startProgram({ NMP_SOURCE_ALLOW: hostPort })
  const { db } = program.context
  const ada = await program.addUser('robots@example.org')
  const org = await createOrg(db, 'operator', { slug: 'robot-lab', name: 'Lab', adminUserId: ada.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  bearer = await program.signIn(ada)
  const place = { orgId: org.id, projectId: project.id, slug: 'cubes' }
  datasetId = (await publishRecording(program.context, place, [4])).datasetId
}, 60_000)
afterAll(async () => {
  await program.close()
  elsewhere.closeAllConnections()
  elsewhere.close()
})

test('a model comes back byte for byte, as a download that nothing runs, and goes with its content', async () => {
  const upload_id = await uploadText(program.url, bearer, 'robots/my arm.urdf', urdf)
  const made = await call('POST', '/robots', { name: 'so101', upload_id })
  expect([made.status, made.body.item.kind, made.body.item.file_name]).toEqual([201, 'urdf', 'my arm.urdf'])
  expect((await call('GET', '/robots')).body.items).toEqual([made.body.item])
  expect((await call('POST', '/robots', { name: 'so101', upload_id })).status).toBe(409)
  const { id } = made.body.item
  const file = await fetch(`${program.url}${base}/robots/${id}/file`, {
    headers: { authorization: `Bearer ${bearer}` },
  })
  expect(await file.text()).toBe(urdf)
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment; filename="my arm.urdf"',
    'content-security-policy': "default-src 'none'; sandbox",
  })

  const joints = [{ joint: 'shoulder', dimension: 1, unit: 'deg' }]
  const choice = `/robot-choices/${datasetId}`
  expect((await call('GET', choice)).body.item).toBeNull()
  expect((await call('PUT', choice, { robot_id: id, joints })).body.item).toMatchObject({ robot_id: id, joints })
  expect((await call('PUT', choice, { robot_id: 'rob_other', joints })).status).toBe(422)
  expect((await call('GET', choice)).body.item).toMatchObject({ robot_id: id, joints })
  expect((await call('DELETE', `/robots/${id}`)).status).toBe(200)
  expect((await call('GET', choice)).body.item).toBeNull()
  const kept = program.context.db.selectFrom('blob_references').select('owner_id').where('owner_kind', '=', 'robot')
  expect(await kept.execute()).toEqual([])
})

test('what is neither XML nor a zip is refused, and so is an upload that is not there', async () => {
  const refuse = async (upload_id: string) => {
    const { status, body } = await call('POST', '/robots', { name: 'other', upload_id })
    return [status, JSON.stringify(body)]
  }
  expect(await refuse(await uploadText(program.url, bearer, 'arm.stl', 'solid arm'))).toEqual([
    422,
    expect.stringContaining('send a URDF (XML), or a zip of one'),
  ])
  expect((await refuse('upl_nothing'))[0]).toBe(422)
  const zip = await uploadText(program.url, bearer, 'arm.zip', Buffer.from('PK\u0003\u0004 and more', 'latin1'))
  expect((await call('POST', '/robots', { name: 'zipped', upload_id: zip })).body.item.kind).toBe('zip')
})

test('the model that a dataset names is fetched, stored once and chosen; what is none is refused in words', async () => {
  const use = async (uri: string, given?: RequestListener) => {
    if (given) answer = given
    const named = await call('PATCH', '/datasets/cubes', { robot_description_uri: uri })
    expect(named.status, JSON.stringify(named.body)).toBe(200)
    return call('POST', `/robot-choices/${datasetId}/named`)
  }
  const send = (body: string, type: string, status = 200): RequestListener => {
    return (_, response) => void response.writeHead(status, { 'content-type': type }).end(body)
  }
  const seen: string[] = []
  const moved: RequestListener = ({ url = '' }, response) => {
    seen.push(url)
    if (url.startsWith('/old')) response.writeHead(302, { location: '/new/arm.urdf' }).end()
    else send(urdf, 'application/octet-stream')({} as never, response)
  }
  const made = await use(`${site}/old/my%20arm.urdf#joint`, moved)
  expect([made.status, made.body.item.kind, made.body.item.file_name]).toEqual([200, 'urdf', 'my arm.urdf'])
  expect(seen).toEqual(['/old/my%20arm.urdf', '/new/arm.urdf'])
  const { id } = made.body.item
  expect((await call('GET', `/robot-choices/${datasetId}`)).body.item).toMatchObject({ robot_id: id, joints: [] })
  const file = await fetch(`${program.url}${base}/robots/${id}/file`, {
    headers: { authorization: `Bearer ${bearer}` },
  })
  expect(await file.text()).toBe(urdf)
  const countObjects = async () => (await Array.fromAsync(program.context.storage.listObjects(''))).length
  const before = await countObjects()
  expect((await use(`${site}/other.urdf`)).body.item).toEqual(made.body.item)
  // Fetched again, and not needed: it would be on the disk for a day, and in nobody's quota.
  expect(await countObjects()).toBe(before)
  const second = await use(`${site}/other/my%20arm.urdf`, send(`${urdf} `, 'text/xml'))
  expect(second.body.item.name).toBe(`${made.body.item.name} 2`)

  const refused = async (uri: string, given?: RequestListener) => {
    const { status, body } = await use(uri, given)
    return [status, body.code ?? body.detail?.[0]?.type, JSON.stringify(body)]
  }
  const says = (status: number, code: string, words: string) => [status, code, expect.stringContaining(words)]
  const page = send('<!doctype html><html></html>', 'text/html')
  expect(await refused(`${site}/arm.urdf`, page)).toEqual(
    says(422, 'source_invalid', 'a web page instead of the model'),
  )
  const other = send('<svg/>', 'image/svg+xml')
  expect(await refused(`${site}/arm.urdf`, other)).toEqual(says(422, 'source_invalid', 'is no URDF and no zip of one'))
  const gone = send('', 'text/plain', 404)
  expect(await refused(`${site}/arm.urdf`, gone)).toEqual(says(422, 'source_not_found', 'no file at this address'))
  const notAllowed = 'source_not_allowed'
  expect(await refused('https://127.0.0.1/arm.urdf')).toEqual(says(422, notAllowed, 'inside a private network'))
  expect(await refused('robots/arm.urdf')).toEqual(says(422, notAllowed, 'no address of the web. Upload the model.'))
  expect(await refused('')).toEqual(says(409, 'conflict', 'names no model of its robot'))
  expect((await call('GET', `/robot-choices/${datasetId}`)).body.item.robot_id).toBe(second.body.item.id)
})
