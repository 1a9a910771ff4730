import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Manifest } from '../dataset/queries.ts'
import { versionQuery } from './queries.ts'

/** What a version was made of; those without a role in its project read only that it was derived. */
export function VersionSource({ dataset }: { dataset: Manifest }) {
  const { data: version } = useQuery({
    ...versionQuery(dataset.org_slug, dataset.id),
    enabled: dataset.role !== null,
  })
  if (!version) return dataset.source.source_label
  const { dataset_kind: kind, dataset_id: datasetId, title, revision_number: number } = version.source
  return (
    <>
      <Link className="lk" to="/datasets/$datasetId" params={{ datasetId }}>
        {title}
      </Link>{' '}
      <em>
        <Link to="/datasets/$datasetId/derivation" params={{ datasetId: dataset.id }}>
          {kind === 'version' ? 'version' : 'revision'} {number}, with a recipe
        </Link>
      </em>
    </>
  )
}
