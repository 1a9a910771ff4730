import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Exporter, openExporter } from '../../../test/exporter.ts'
import { startProgram, type TestProgram } from '../../../test/program.ts'
import { publishArms } from '../../../test/small-arms.ts'
import { createProject } from '../../organizations/projects/service.ts'
import { createOrg } from '../../organizations/service.ts'

let program: TestProgram
let exporter: Exporter
let ids: string[]
beforeAll(async () => {
  program = await startProgram()
  const { db } = program.context
  const admin = await program.addUser('ada@example.org')
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const arms = await publishArms(program.context, { orgId: org.id, projectId: project.id })
  ids = arms.map(({ datasetId }) => datasetId)
  exporter = await openExporter(program, await program.signIn(admin), 'acme', 'lab')
}, 120_000)
afterAll(async () => {
  await exporter.close()
  await program.close()
})

const source = (place: number, more: object = {}) => ({ dataset_kind: 'catalog', dataset_id: ids[place], ...more })
const action = { dimensions: ['a', 'b', 'c'], unit: ['deg', 'rad'] }
const tasks = { pull: 'push' }

/** Files of a camera lie in a folder of its name: one called `../../x` was written outside of the export's folder. */
test.each(['../../../escaped', '/tmp/escaped', '..', 'a/b', 'a\\b', 'a\nb', 'ä'.repeat(130)])(
  'a map gives nothing the name %j',
  async (name) => {
    const cameras = { 'observation.images.above': 'observation.images.top' }
    for (const map of [
      { cameras: { 'observation.images.above': name }, features: { action }, tasks },
      { cameras, features: { action, [name]: { from: 'action' } }, tasks },
      { cameras, features: { action, [name]: { fill: 0 } }, tasks },
    ]) {
      const body = { sources: [source(0), source(1, { map })] }
      const version = { ...body, slug: 'out', name: 'Out', project_slug: 'lab' }
      const preview = await exporter.call('POST', `${exporter.versionsPath}/preview/merge`, body)
      for (const { status, body: answer } of [preview, await exporter.call('POST', exporter.versionsPath, version)]) {
        const sentences = answer.detail?.map(({ msg }: { msg: string }) => msg).join()
        expect([status, sentences]).toEqual([422, expect.stringContaining('without slashes')])
      }
    }
  },
)
