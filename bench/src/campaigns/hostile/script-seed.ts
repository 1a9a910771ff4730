import { type HostileGround, project } from './ground.ts'
import { uploadFile } from './import-door.ts'
import { files, readSet } from './lerobot-set.ts'
import { cardPayload, longPayload, shortPayload } from './script-payloads.ts'

/** Things of Mallory's whose every text is a payload, all of them public or shown to Ada. */
export interface PoisonedSeed {
  datasetId: string
  versionId: string
  failedImportId: string
  importId: string
  org: string
}

const slug = 'poisoned'

export async function seedPoison(ground: HostileGround): Promise<PoisonedSeed> {
  const { mallory } = ground
  const { client, org: org_slug } = mallory
  const place = { org_slug, project_slug: project }
  await client.users.changeProfile({ body: { display_name: shortPayload('person'), title: shortPayload('job') } })
  await client.projects.renameOrganization({ org_slug, body: { name: shortPayload('organization') } })
  await client.projects.changeProject({ ...place, body: { name: shortPayload('project') } })
  await client.users.createToken({ body: { name: shortPayload('token') } })
  const job = await client.imports.createAndWait({
    ...place,
    body: {
      source_kind: 'lerobot',
      dataset_slug: slug,
      title: shortPayload('title'),
      upload_ids: await uploadPoison(ground),
    },
  })
  const datasetId = job.dataset_id ?? ''
  await client.datasets.changeProjectDataset({
    ...place,
    dataset_slug: slug,
    body: {
      visibility: 'public',
      description: longPayload('description'),
      tags: ['"><svg/onload=hostileRan(1)>'],
      licence: shortPayload('licence'),
      citation: longPayload('citation'),
      card_markdown: cardPayload('card'),
      work_name: shortPayload('work'),
      task_name: shortPayload('task'),
      robot_type: shortPayload('robot'),
    },
  })
  await client.curation.putFlags({
    ...place,
    dataset_slug: slug,
    body: { items: [{ episode_index: 0, reason: 'other', note: longPayload('note') }] },
  })
  const { item } = await client.versions.createVersion({
    org_slug,
    body: {
      slug: 'poisoned-version',
      name: shortPayload('version'),
      source: { dataset_kind: 'project', dataset_id: datasetId },
      recipe: { first_n_episodes: 2, notes: longPayload('notes') },
    },
  })
  return { datasetId, versionId: item.id, importId: job.id, failedImportId: await failImport(ground), org: org_slug }
}

/** The names of tasks, robots and features of a set are texts of strangers too. */
async function uploadPoison(ground: HostileGround): Promise<string[]> {
  const set = await readSet('v2.1')
  const { info, tasks, episodes } = files['v2.1']
  const poison = JSON.stringify(longPayload('taskline'))
  const change = (file: string, edit: (text: string) => string): void => {
    set.set(file, Buffer.from(edit(set.get(file)?.toString('utf8') ?? '')))
  }
  change(tasks, (text) => text.replaceAll('"pick"', () => poison))
  change(episodes, (text) => text.replaceAll('"pick"', () => poison))
  change(info, (text) => {
    const parsed = JSON.parse(text)
    parsed.features.action.names = [shortPayload('motor'), 'b']
    return JSON.stringify(parsed)
  })
  set.set(`extra/${shortPayload('file').replaceAll('/', '')}.txt`, Buffer.from('x'))
  return sendAll(ground, set)
}

/** An import whose error message names what a stranger named. */
async function failImport(ground: HostileGround): Promise<string> {
  const set = await readSet('v2.1')
  const { info } = files['v2.1']
  const parsed = JSON.parse(set.get(info)?.toString('utf8') ?? '{}')
  parsed.data_path = `../${shortPayload('path')}`
  set.set(info, Buffer.from(JSON.stringify(parsed)))
  const { client, org } = ground.mallory
  const place = { org_slug: org, project_slug: project }
  const { item } = await client.imports.createImport({
    ...place,
    body: {
      source_kind: 'lerobot',
      dataset_slug: 'poisoned-failure',
      title: shortPayload('failure'),
      upload_ids: await sendAll(ground, set),
    },
  })
  await client.imports.wait(item).catch(() => {})
  return item.id
}

async function sendAll(ground: HostileGround, set: Map<string, Buffer>): Promise<string[]> {
  const ids: string[] = []
  for (const [name, bytes] of set) {
    const sent = await uploadFile(ground, name, bytes)
    if (typeof sent !== 'string') throw new Error(`${name}: ${sent.status} ${JSON.stringify(sent.body)}`)
    ids.push(sent)
  }
  return ids
}
