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

const call = (method: string, path: string, body?: unknown) =>
  program.call(method, `${base}${path}`, { bearer, ...(body === undefined ? {} : { body }) })

beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const ada = await program.addUser('robots@example.org')
  const org = await createOrg(db, 'operator', { slug: 'robot-lab', name: 'Lab', adminUserId: ada.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  bearer = await program.signIn(ada)
  const place = { orgId: org.id, projectId: project.id, slug: 'cubes' }
  datasetId = (await publishRecording(program.context, place, [4])).datasetId
}, 60_000)
afterAll(() => program.close())

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
