import type { JsonObject } from '@nmp/formats/json'
import type { AnnotationSettings } from '@nmp/formats/steps/annotate'

/** The named set as it was when the version was made: what is edited later changes no version. */
export interface StoredAnnotations {
  header: { annotation_set_id: string; annotation_set_version: number; name: string }
  episodes: { episode_index: number; task: string | null; rest: JsonObject }[]
}

export const toAnnotationSettings = ({ header, episodes }: StoredAnnotations): AnnotationSettings => ({
  header,
  episodes: new Map(episodes.map(({ episode_index: index, task, rest }) => [index, { task, rest }])),
})
