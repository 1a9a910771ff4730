import type { PutAnnotationSetInput, PutFlagsInput } from '@nmp/sdk/generated/curation'
import { client } from '../session/client.ts'
import type { Manifest } from './dataset.ts'
import { isVersionId } from './version-id.ts'

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug'>
type Options = { signal?: AbortSignal }

/** Flags and annotation sets of a dataset or of a version: the same calls, at the one's or the other's address. */
export function curationOf({ id, org_slug, project_slug, slug }: Place) {
  const { curation } = client
  if (isVersionId(id)) {
    const place = { org_slug, version_id: id }
    return {
      iterateFlags: (options: Options) => curation.iterateVersionFlags({ ...place, limit: 200 }, options),
      putFlags: (items: PutFlagsInput['body']['items']) => curation.putVersionFlags({ ...place, body: { items } }),
      deleteFlags: (ids: string[]) => curation.deleteVersionFlags({ ...place, body: { ids } }),
      listSets: (options: Options) => curation.listVersionAnnotationSets(place, options),
      getSet: (set_id: string, episode_index: number, options: Options) =>
        curation.getVersionAnnotationSet({ ...place, set_id, episode_index }, options),
      getWholeSet: (set_id: string, version: number | null, options: Options) =>
        curation.getVersionAnnotationSet({ ...place, set_id, version: version ?? undefined }, options),
      putSet: (set_id: string, body: PutAnnotationSetInput['body']) =>
        curation.putVersionAnnotationSet({ ...place, set_id, body }),
      createSet: (body: PutAnnotationSetInput['body'] & { name: string }) =>
        curation.createVersionAnnotationSet({ ...place, body }),
    }
  }
  const place = { org_slug, project_slug, dataset_slug: slug }
  return {
    iterateFlags: (options: Options) => curation.iterateFlags({ ...place, limit: 200 }, options),
    putFlags: (items: PutFlagsInput['body']['items']) => curation.putFlags({ ...place, body: { items } }),
    deleteFlags: (ids: string[]) => curation.deleteFlags({ ...place, body: { ids } }),
    listSets: (options: Options) => curation.listAnnotationSets(place, options),
    getSet: (set_id: string, episode_index: number, options: Options) =>
      curation.getAnnotationSet({ ...place, set_id, episode_index }, options),
    getWholeSet: (set_id: string, version: number | null, options: Options) =>
      curation.getAnnotationSet({ ...place, set_id, version: version ?? undefined }, options),
    putSet: (set_id: string, body: PutAnnotationSetInput['body']) =>
      curation.putAnnotationSet({ ...place, set_id, body }),
    createSet: (body: PutAnnotationSetInput['body'] & { name: string }) =>
      curation.createAnnotationSet({ ...place, body }),
  }
}
