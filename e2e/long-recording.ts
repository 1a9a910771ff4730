import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { checkout, makeFolder, type Program } from './program.ts'

/** An hour at 100 Hz of two arms, imported: 360,000 rows of 14 states and 14 actions, between two short episodes. */
export async function importLongRecording(program: Program): Promise<{ dataset: string; frames: number }> {
  const frames = 360_000
  const folder = join(await makeFolder(), 'hour')
  const script = join(checkout, 'formats', 'test', 'long-recording-entry.ts')
  await promisify(execFile)(process.execPath, [script, folder, String(frames), 'no-camera'])
  const client = createClient({
    baseUrl: program.url,
    token: await program.mustAdmin('session', 'admin@localhost', '--minutes', '30'),
  })
  const [place] = (await client.users.getCurrentUser()).user.projects
  if (!place) throw new Error('The first account has no project.')
  const { org_slug, project_slug } = place
  const uploads = await uploadPaths(client.transport, [folder], { orgSlug: org_slug, projectSlug: project_slug })
  const { dataset_id } = await client.imports.createAndWait({
    org_slug,
    project_slug,
    body: {
      source_kind: 'lerobot',
      dataset_slug: 'an-hour',
      title: 'An hour at 100 Hz',
      upload_ids: uploads.map(({ id }) => id),
    },
  })
  if (!dataset_id) throw new Error('The long recording was not imported.')
  return { dataset: dataset_id, frames }
}

/** The state that the recording holds at a frame: as its script computes it. */
export function expectedState(frame: number, dimension: number): number {
  const at = frame - 8
  const slow = Math.sin(at / (900 + 130 * dimension) + dimension)
  const tremor = 0.03 * Math.sin(at * 0.9 + dimension) * Math.sin(at / 5000)
  return slow + tremor + (frame % 6000 === 3000 + dimension * 7 ? 1.5 : 0)
}
