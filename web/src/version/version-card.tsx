import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { refresh } from '../data/refresh.ts'
import { cancelExport, exportJobsQuery, getDownloadUrl, queueExport } from '../data/versions.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'
import { ExportProgress } from './export-progress.tsx'
import './version-card.css'

interface VersionCardProps {
  version: Version
  mayExport: boolean
  /** On its own page the download is what one came for. */
  isLead?: boolean
  /** Further commands, at the end of the first line. */
  menu?: ReactNode
}

/** A version with its export: queue it, watch it, take it. */
export function VersionCard({ version, mayExport, isLead = false, menu }: VersionCardProps) {
  const artifact = version.export_artifacts.find(({ key }) => key === 'lerobot')
  const isMoving = artifact?.status === 'queued' || artifact?.status === 'running'
  const onDone = () => refresh.exports(version.id)
  const start = useChange(() => queueExport(version.org_slug, version.id), { onDone })
  const cancellation = useChange((jobId: string) => cancelExport(version.org_slug, version.id, jobId), { onDone })
  const fetching = useChange(() => download(version))
  const jobs = useQuery({ ...exportJobsQuery(version.org_slug, version.id, isMoving), enabled: isMoving })
  return (
    <article className={isLead ? undefined : 'version-made'} data-version={version.id} data-status={artifact?.status}>
      <div className="row wrap">
        {isLead ? (
          <b>LeRobot v3 export</b>
        ) : (
          <Link to="/datasets/$datasetId" params={{ datasetId: version.id }}>
            <b>
              {version.slug} {version.version}
            </b>
          </Link>
        )}
        <StatusChip version={version} />
        {!isLead && version.visibility === 'public' && <span className="chip line">Public</span>}
        <span className="end row">
          {artifact?.status === 'ready' && (
            <Button
              small={!isLead}
              look={isLead ? 'primary' : 'default'}
              icon="download"
              onClick={() => fetching.mutate()}
            >
              Download .tar, {formatBytes(artifact.size_bytes)}
            </Button>
          )}
          {(artifact?.status === 'planned' || artifact?.status === 'failed') && mayExport && (
            <Button small={!isLead} look={isLead ? 'primary' : 'default'} onClick={() => start.mutate()}>
              {artifact.status === 'failed' ? 'Export again' : 'Export'}
            </Button>
          )}
          {menu}
        </span>
      </div>
      {isMoving && (
        <ExportProgress
          label={`Export of ${version.slug}`}
          job={jobs.data?.find(({ id }) => id === artifact.job_id)}
          onCancel={mayExport ? cancellation.mutate : undefined}
        />
      )}
      {artifact?.status === 'failed' && artifact.error_message && (
        <p className="callout small above-4">{artifact.error_message}</p>
      )}
      <p className="small dim above-4">
        {!isLead && `${plural(version.episode_count, 'episode')}, ${plural(version.frame_count, 'frame')}, `}
        {isLead && 'made '}
        <Time at={version.created_at} />
      </p>
    </article>
  )
}

export function StatusChip({ version }: { version: Version }) {
  const artifact = version.export_artifacts.find(({ key }) => key === 'lerobot')
  if (artifact?.status === 'ready')
    return (
      <span className="chip good">
        <Icon name="check" />
        ready
      </span>
    )
  if (artifact?.status === 'failed') return <span className="chip flag">failed</span>
  if (artifact?.status === 'queued' || artifact?.status === 'running') return <span className="chip">exporting</span>
  return <span className="chip line">not exported</span>
}

export async function download(version: Version, key = 'lerobot'): Promise<void> {
  const { url } = await getDownloadUrl(version.org_slug, version.id, key)
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
