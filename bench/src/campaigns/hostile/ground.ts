import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { makeFolder, type Program, startProgram } from '../../../../e2e/program.ts'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { type HostileSourceServer, openHostileSource } from './source-server.ts'

export interface Person {
  email: string
  org: string
  bearer: string
  client: Client
}

/** What every family stands on: the program as most people run it, two strangers, and something that one of them keeps private. */
export interface HostileGround {
  program: Program
  /** The program's folder for temporary files, in which nobody else writes. */
  temporary: string
  source: HostileSourceServer
  ada: Person
  mallory: Person
  /** Of Ada; private. */
  dataset: { id: string; slug: string }
  /** 1, or the share of the cases of each family that is run. */
  scale: number
  seed: number
  /** No family begins a case after this many seconds; undefined where all of them are to be run. */
  seconds: number | undefined
  /** Cases of the family under way that were not begun for want of time. */
  leftOut: number
}

export const project = 'default'
const sessionMinutes = '600'
export const password = 'correct horse battery staple'

export async function openGround(chosen: Pick<HostileGround, 'scale' | 'seed' | 'seconds'>): Promise<HostileGround> {
  const temporary = await makeFolder()
  const source = await openHostileSource()
  const program = await startProgram({
    env: { TMPDIR: temporary, NMP_SOURCE_ALLOW: source.hostPort, NMP_HF_ENDPOINT: `http://${source.hostPort}` },
  })
  const ada = await addPerson(program, 'ada')
  const mallory = await addPerson(program, 'mallory')
  const slug = 'kept'
  const uploads = await uploadPaths(ada.client.transport, [getFixture('lerobot/recorded-v3.0-two-cameras')], {
    orgSlug: ada.org,
    projectSlug: project,
  })
  const { dataset_id } = await ada.client.imports.createAndWait({
    org_slug: ada.org,
    project_slug: project,
    body: { source_kind: 'lerobot', dataset_slug: slug, upload_ids: uploads.map(({ id }) => id) },
  })
  return { program, temporary, source, ada, mallory, dataset: { id: dataset_id ?? '', slug }, ...chosen, leftOut: 0 }
}

export async function addPerson(program: Program, name: string): Promise<Person> {
  const email = `${name}@example.org`
  await program.mustAdmin('user', 'add', email, '--password', password)
  const bearer = await program.mustAdmin('session', email, '--minutes', sessionMinutes)
  return { email, org: name, bearer, client: createClient({ baseUrl: program.url, token: bearer }) }
}
