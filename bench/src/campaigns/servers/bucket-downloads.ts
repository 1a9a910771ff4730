import { createClient } from '@nmp/sdk/client'
import type { ContainerMachines } from '../fleet/containers/container-machines.ts'
import type { Fleet } from '../fleet/fleet.ts'

const rounds = 25
const place = { org_slug: 'ada', project_slug: 'default' }

/** What clients get of videos and exports where they reach the bucket themselves, and what an API sends meanwhile. */
export async function measureDownloads(machines: ContainerMachines, { admin, objects, settings, url }: Fleet) {
  const own = { ...settings, NMP_TRUST_PROXY: '0', NMP_S3_PUBLIC_ENDPOINT: objects.url }
  const api = await machines.createMember('api', 'api 3', own)
  await api.start()
  const token = await admin('session', 'ada@example.org', '--minutes', '60')
  const client = createClient({ baseUrl: api.url, token })
  const { id } = (await client.datasets.getProjectDataset({ ...place, dataset_slug: 'source' })).item
  const { streams } = (await client.catalog.getEpisodeMedia({ dataset_id: id, episode_index: 0 })).item
  const [version] = (await client.versions.listVersions({ org_slug: place.org_slug, limit: 1 })).items
  const artifact = { org_slug: place.org_slug, version_id: version?.id ?? '', artifact_key: 'lerobot' }
  const archive = (await client.exports.getArtifactDownloadUrl(artifact)).url
  // Their names are those of the reverse proxy, which leads to other APIs.
  const addresses = [archive, ...streams.flatMap((stream) => stream.url?.replace(url, api.url) ?? [])]
  const before = await machines.countSentBytes(api)
  let receivedBytes = 0
  let bodyBytesOfApi = 0
  for (let round = 0; round < rounds; round++)
    for (const address of addresses) {
      const answer = await fetch(address, { redirect: 'manual' })
      const isOfApi = address.startsWith(api.url)
      const bytes = (await answer.arrayBuffer()).byteLength
      if (isOfApi) bodyBytesOfApi += bytes
      else receivedBytes += bytes
      const next = answer.headers.get('location')
      if (next) receivedBytes += (await (await fetch(next)).arrayBuffer()).byteLength
    }
  const sentByApi = (await machines.countSentBytes(api)) - before
  await api.stop()
  console.log(`${receivedBytes} bytes from the bucket; bodies of the API ${bodyBytesOfApi}, its network ${sentByApi}`)
  return { passed: bodyBytesOfApi === 0 && receivedBytes > 20 * sentByApi, receivedBytes, bodyBytesOfApi, sentByApi }
}
