import { createProject } from '../src/organizations/projects/service.ts'
import { createOrg } from '../src/organizations/service.ts'
import { openExporter } from './exporter.ts'
import { startProgram } from './program.ts'

/** A program with the organization `acme` and its project `lab`, whose admin makes versions and exports them. */
export async function openLab(env: Record<string, string> = {}) {
  const program = await startProgram(env)
  const admin = await program.addUser('ada@example.org')
  const bearer = await program.signIn(admin)
  const { db } = program.context
  const org = await createOrg(db, 'operator', { slug: 'acme', name: 'Acme', adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const exporter = await openExporter(program, bearer, 'acme', 'lab')
  const close = async (): Promise<void> => {
    await program.close()
    await exporter.close()
  }
  return { program, bearer, exporter, place: { orgId: org.id, projectId: project.id }, close }
}

export type Lab = Awaited<ReturnType<typeof openLab>>
