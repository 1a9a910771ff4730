import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Diff } from '../../data/diff.ts'
import { projectDatasetsQuery, revisionsQuery } from '../../data/project.ts'
import { versionsQuery } from '../../data/versions.ts'
import { formatCount, plural } from '../../parts/formats.ts'
import { Select } from '../../parts/select.tsx'
import { useWorkspace } from '../../session/workspace.ts'
import './compare-page.css'

interface SideChooserProps {
  label: string
  org: string
  id: string | undefined
  side: Diff['from'] | undefined
  onChange(id: string): void
}

/** One of the two: datasets and versions of the project, and every revision of the dataset that is chosen. */
export function SideChooser({ label, org, id, side, onChange }: SideChooserProps) {
  const workspace = useWorkspace()
  const project = side?.project_slug ?? workspace?.project ?? ''
  const place = side?.org_slug ?? org
  const datasets = useQuery({ ...projectDatasetsQuery(place, project), enabled: project !== '' })
  const versions = useQuery({ ...versionsQuery(place, project), enabled: project !== '' })
  const isRevision = side?.kind === 'revision'
  const revisions = useQuery({ ...revisionsQuery(place, project, side?.slug ?? ''), enabled: isRevision })
  const options = [
    ...(revisions.data?.items ?? []).map((revision) => ({
      value: revision.id,
      label: `${side?.slug}, revision ${revision.number}`,
    })),
    ...(datasets.data?.items ?? []).map((dataset) => ({ value: dataset.id, label: `${dataset.slug}, as shown` })),
    ...(versions.data ?? []).map((version) => ({
      value: version.id,
      label: `${version.slug}, version ${version.version}`,
    })),
  ]
  const isListed = options.some(({ value }) => value === id)
  const own = id !== undefined && !isListed ? [{ value: id, label: side ? `${side.slug} ${side.number}` : id }] : []
  const none = id === undefined ? [{ value: '', label: 'Choose…' }] : []
  return (
    <section className="compare-side" aria-label={label}>
      <Select
        label={label}
        showLabel
        value={id ?? ''}
        options={[...none, ...own, ...options]}
        onChange={(value) => value !== '' && onChange(value)}
      />
      {side && (
        <p className="small mid above-4">
          <Link className="link" to="/datasets/$datasetId" params={{ datasetId: side.dataset_id }}>
            {side.title}
          </Link>
          , {plural(side.episode_count, 'episode')}, {formatCount(side.frame_count)} frames at {side.fps} fps
          {side.robot_type && `, ${side.robot_type}`}
        </p>
      )}
    </section>
  )
}
