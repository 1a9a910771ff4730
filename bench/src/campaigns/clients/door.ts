import { join } from 'node:path'
import { createClient } from '@nmp/sdk/client'
import { uploadPaths } from '@nmp/sdk/node-files'
import { checkout, type Program, startProgram } from '../../../../e2e/program.ts'

/** Three episodes with a camera, written by lerobot's converter. */
export const recording = join(checkout, 'formats/test/golden/lerobot/v3.0-converter-output')

/** A running program, as somebody's token sees it. */
export interface Door {
  program: Program
  token: string
  /** `ORG/NAME` of an imported robot dataset. */
  source: string
  /** What every client is given. */
  env: Record<string, string>
  /** Once for each slug. */
  importFolder(folder: string, slug: string): Promise<void>
  /** A version of its first two episodes; answers how many frames those have. */
  deriveVersion(source: string, slug: string): Promise<number>
  /** Somebody else; answers their token. */
  addPerson(email: string): Promise<string>
}

const place = { org_slug: 'ada', project_slug: 'default' }

export async function openDoor(): Promise<Door> {
  const program = await startProgram({ env: { NMP_DEMO: '0' } })
  const addPerson = async (email: string): Promise<string> => {
    await program.mustAdmin('user', 'add', email)
    const bearer = await program.mustAdmin('session', email, '--minutes', '600')
    const scopes = ['workspace:read', 'imports:write', 'versions:write', 'datasets:write', 'datasets:delete']
    const body = { name: 'clients', scopes }
    return (await program.call('POST', '/api/v1/users/me/tokens', { bearer, body })).body.token
  }
  const token = await addPerson('ada@example.org')
  const client = createClient({ baseUrl: program.url, token })
  const env = {
    HF_ENDPOINT: `${program.url}/hf`,
    HF_TOKEN: token,
    HF_HUB_DISABLE_PROGRESS_BARS: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    OMP_NUM_THREADS: '1',
  }
  const imported = new Map<string, string>()
  const importFolder = async (folder: string, slug: string): Promise<void> => {
    if (imported.has(slug)) return
    const uploads = await uploadPaths(client.transport, [folder], { orgSlug: 'ada', projectSlug: 'default' })
    const body = { source_kind: 'lerobot' as const, dataset_slug: slug, upload_ids: uploads.map(({ id }) => id) }
    const { dataset_id: id } = await client.imports.createAndWait({ ...place, body })
    imported.set(slug, id ?? '')
  }
  const deriveVersion = async (source: string, slug: string): Promise<number> => {
    const dataset_id = imported.get(source) ?? ''
    const body = { slug, name: slug, source: { dataset_kind: 'project', dataset_id }, recipe: { first_n_episodes: 2 } }
    await program.call('POST', '/api/v1/orgs/ada/derived-dataset-versions', { bearer: token, body })
    const path = `/api/v1/catalog/datasets/${dataset_id}/episodes?limit=2`
    const answer = await program.call('GET', path, { bearer: token })
    return answer.body.item.items[1].dataset_to_index
  }
  await importFolder(recording, 'source')
  return { program, token, source: 'ada/source', env, importFolder, deriveVersion, addPerson }
}
