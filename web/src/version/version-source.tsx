import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { plural } from '../parts/formats.ts'

/** What a version was made of. */
export function VersionSource({ dataset }: { dataset: Manifest }) {
  const version = dataset.derived_version
  if (!version) return dataset.source.source_label
  const { dataset_kind: kind, dataset_id: datasetId, title, revision_number: number } = version.source
  return (
    <>
      <Link className="link" to="/datasets/$datasetId" params={{ datasetId }}>
        {title}
      </Link>{' '}
      <em>
        {kind === 'version' ? 'version' : 'revision'} {number}
        {version.sources && ` and ${plural(version.sources.length - 1, 'other')}`}
      </em>
    </>
  )
}
