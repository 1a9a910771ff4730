import { getFixture } from '../../fixtures/fixture.ts'
import type { Context } from '../src/context.ts'
import { publishFolder, publishRecording } from './published-dataset.ts'

const recordings = new Map<string, Promise<Record<string, string>>>()

/** A recording with rows and a video, for the routes that read them: one for each project. */
export const publishOnce = (
  context: Context,
  place: { orgId: string; projectId: string },
): Promise<Record<string, string>> => {
  const known = recordings.get(place.projectId) ?? publish(context, place)
  recordings.set(place.projectId, known)
  return known
}

async function publish(context: Context, place: { orgId: string; projectId: string }) {
  const slug = 'recording'
  const { datasetId, revisionId } = await publishRecording(context, { ...place, slug }, [4, 3])
  return { dataset_slug: slug, dataset_id: datasetId, revision_id: revisionId, episode_index: '0' }
}

const depths = new Map<string, Promise<Record<string, string>>>()

/** One with a depth camera, for the route that tells distances. */
export const publishDepthOnce = (
  context: Context,
  place: { orgId: string; projectId: string },
): Promise<Record<string, string>> => {
  const publishDepth = async () => {
    const folder = getFixture('lerobot/recorded-v3.0-depth')
    const { datasetId, revisionId } = await publishFolder(context, folder, { ...place, slug: 'depth' })
    return { dataset_id: datasetId, revision_id: revisionId }
  }
  const known = depths.get(place.projectId) ?? publishDepth()
  depths.set(place.projectId, known)
  return known
}

const camera = 'camera=observation.images.top'

/** Requests for pictures, video and rows of a recording, for the table of permissions. */
export function makeMediaRequests(
  addRecording: () => Promise<Record<string, string>>,
  addDepth: () => Promise<Record<string, string>>,
) {
  const ask = (query: string) => async () => ({ params: await addRecording(), query })
  return {
    getVideoFile: ask('path=videos/observation.images.top/chunk-000/file-000.mp4'),
    // Nothing but a signature opens it, whoever asks.
    getArtifactTar: async () => ({ params: { version_id: 'ver_none', checksum: 'none' }, query: 'key=lerobot' }),
    getDatasetFile: ask('path=meta/info.json'),
    getPoster: ask(`episode=1&frame=2&${camera}`),
    getDepthFrame: async () => ({
      params: await addDepth(),
      query: 'episode=1&frame=2&camera=observation.images.depth',
    }),
    getSprite: ask(`episode=1&${camera}`),
    getEpisodeSprite: ask(`offset=0&limit=2&${camera}`),
    getClip: ask(`episode=1&${camera}`),
    getEpisodeRows: ask(''),
    getEpisodeMedia: ask(''),
    getEpisodeSpriteUrl: ask(''),
  }
}
