/** `version`: derived from another version, by the recipes of both. */
export type SourceKind = 'catalog' | 'project' | 'version'

/** The source as the manifest shows it, written at creation. */
export interface VersionSource {
  dataset_kind: SourceKind
  dataset_id: string
  repo_id: string | null
  title: string
  source_revision: string
  revision_id: string
  revision_number: number
  hf_revision: string | null
}
