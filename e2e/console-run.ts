import { type Client, createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import type { Page } from 'playwright-core'
import { getFixture } from '../fixtures/fixture.ts'
import { getChromium, launchBrowser } from './console-browser.ts'
import { openSignedIn } from './console-pages.ts'
import { type Program, startProgram } from './program.ts'

/** A program of its own with a browser, as tests of the console begin. */
export interface ConsoleRun {
  program: Program
  /** As the admin, in the project that the program begins with. */
  client: Client
  place: { org_slug: string; project_slug: string }
  /** A tab of a browser of its own, 1280 wide; the admin's unless told whose. */
  open(bearer?: string): Promise<Page>
  /** Imports a LeRobot fixture; answers the id of the dataset. */
  bring(fixture: string, slug: string, title: string): Promise<string>
  giveSession(email: string): Promise<string>
  /** Somebody new in the project; their bearer. */
  addMember(email: string, role: 'viewer' | 'editor'): Promise<string>
  close(): Promise<void>
}

export async function openConsole(): Promise<ConsoleRun> {
  const program = await startProgram()
  const giveSession = async (email: string) => (await program.mustAdmin('session', email, '--minutes', '60')).trim()
  const admin = await giveSession('admin@localhost')
  const client = createClient({ baseUrl: program.url, token: admin })
  const [first] = (await client.users.getCurrentUser()).user.projects
  const place = { org_slug: first?.org_slug ?? '', project_slug: first?.project_slug ?? '' }
  const browser = await launchBrowser(getChromium())
  return {
    program,
    client,
    place,
    giveSession,
    async addMember(email, project_role) {
      const { org_slug, project_slug } = place
      await program.mustAdmin('user', 'add', email)
      const bearer = await giveSession(email)
      const body = { email, project_slug, project_role }
      const { accept_url } = await client.projects.createInvite({ org_slug, body })
      const token = new URL(accept_url).searchParams.get('token') ?? ''
      await createClient({ baseUrl: program.url, token: bearer }).projects.acceptInvite({ body: { token } })
      return bearer
    },
    open: async (bearer = admin) => (await openSignedIn(browser, program.url, bearer, 1280)).page,
    async bring(fixture, dataset_slug, title) {
      const where = { orgSlug: place.org_slug, projectSlug: place.project_slug }
      const uploads = await uploadPaths(client.transport, [getFixture(`lerobot/${fixture}`)], where)
      const body = { source_kind: 'lerobot', dataset_slug, title, upload_ids: uploads.map(({ id }) => id) } as const
      return (await client.imports.createAndWait({ ...place, body })).dataset_id ?? ''
    },
    async close() {
      await browser.close()
      await program.stop()
    },
  }
}
