import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import './dataset.css'
import { useKeys } from '../app/keys.ts'
import { canEdit } from '../app/workspace.ts'
import { Button } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { formatBytes, formatCount, formatDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { datasetVersionsQuery } from '../project/version-queries.ts'
import { useSession } from '../sign-in/sign-in.ts'
import { DatasetSide } from './dataset-side.tsx'
import { useFlags } from './flags-query.ts'
import { type Manifest, useManifest } from './queries.ts'
import { Tray } from './tray.tsx'
import { UseInPython } from './use-in-python.tsx'

const routeApi = getRouteApi('/datasets/$datasetId')

export function DatasetPage() {
  const { datasetId } = routeApi.useParams()
  const manifest = useManifest(datasetId)
  const title = manifest.data?.title
  useEffect(() => {
    document.title = title ? `${title} · nmp` : 'nmp'
  }, [title])
  if (!manifest.data)
    return (
      <div className="page">
        {manifest.error ? (
          <Failure error={manifest.error} what="The dataset did not load" onRetry={() => void manifest.refetch()} />
        ) : (
          <Skeleton rows={10} />
        )}
      </div>
    )
  return (
    <div className="ds">
      <Head dataset={manifest.data} />
      <Tabs dataset={manifest.data} />
      <div className="ds-body">
        <DatasetSide dataset={manifest.data} />
        <div className="ds-main">
          <Outlet />
        </div>
      </div>
      <Tray dataset={manifest.data} />
    </div>
  )
}

function Head({ dataset }: { dataset: Manifest }) {
  const navigate = useNavigate()
  const session = useSession()
  const [isPythonOpen, setPythonOpen] = useState(false)
  const { metrics, statistics, observation, action } = dataset
  const archive = dataset.export_artifacts.find(({ key }) => key === 'lerobot')
  const isSmall = matchMedia('(max-width: 1100px)').matches
  useKeys({ r: () => void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } }) })
  return (
    <header className="ds-head">
      <div className="ds-title">
        <h1>{dataset.title}</h1>
        <span className="mono dim">
          {dataset.org_slug}/{dataset.slug}
        </span>
        <span className="chip line">{dataset.visibility === 'public' ? 'Public' : 'Private'}</span>
        <span className="chip line">Revision {dataset.revision_number}</span>
        <span className="chip ok desk" title="Counted when it was imported, before it was published">
          <Icon name="check" />
          {formatCount(metrics.total_frames)} rows = {formatCount(metrics.total_frames)} frames
          {observation.camera_count > 0 &&
            `, ${observation.camera_count} ${observation.camera_count === 1 ? 'camera' : 'cameras'}`}
        </span>
        <span className="end row flex-wrap ds-actions">
          <span className="desk">
            <CopyButton look="ghost" icon="link" text={`${location.origin}/datasets/${dataset.id}`}>
              Copy link
            </CopyButton>
          </span>
          <Button onClick={() => setPythonOpen(true)}>Use in Python</Button>
          {archive && (
            <a className="btn" href={archive.href} title={archive.description}>
              <Icon name="download" small />
              Export
            </a>
          )}
          {session === 'signed-in' && (
            <Link className="btn pri" to="/datasets/$datasetId/recipe" params={{ datasetId: dataset.id }}>
              Start recipe
              <span className="kbd desk" aria-hidden="true">
                R
              </span>
            </Link>
          )}
        </span>
      </div>
      {/* It scrolls sideways where it does not fit, and must be reachable by keyboard there. */}
      <section className="ds-stats" aria-label="Facts" {...(isSmall ? { tabIndex: 0 } : {})}>
        <Stat name="Episodes">{formatCount(metrics.total_episodes)}</Stat>
        <Stat name="Frames">
          {formatCount(metrics.total_frames)} <em>{metrics.fps} fps</em>
        </Stat>
        <Stat name="Recorded">{formatDuration(statistics.total_recording_sec)}</Stat>
        <Stat name="Shortest, longest">
          {statistics.shortest_episode_sec.toFixed(2)} s, {statistics.longest_episode_sec.toFixed(2)} s
        </Stat>
        <Stat name="Robot">{dataset.robot_type ?? 'not named'}</Stat>
        {(observation.state || action) && (
          <Stat name="State, action">
            {observation.state?.dimension ?? 0}, {action?.dimension ?? 0}{' '}
            <em>{(action ?? observation.state)?.names.join(' ')}</em>
          </Stat>
        )}
        <Stat name="Tasks">{formatCount(metrics.total_tasks)}</Stat>
        <Stat name="Size">
          {formatBytes(dataset.size_bytes)} <em>LeRobot {metrics.codebase_version}</em>
        </Stat>
        <Stat name="Source">
          {dataset.source.source_label}{' '}
          <em>{dataset.source.hf_repo_id ?? `${dataset.source_layout} ${dataset.source_version}`}</em>
        </Stat>
      </section>
      <UseInPython dataset={dataset} open={isPythonOpen} onClose={() => setPythonOpen(false)} />
    </header>
  )
}

const Stat = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="ds-stat">
    <span className="sm dim">{name}</span>
    <b>{children}</b>
  </div>
)

function Tabs({ dataset }: { dataset: Manifest }) {
  const session = useSession()
  const params = { datasetId: dataset.id }
  const flags = useFlags(dataset)
  const versions = useQuery({
    ...datasetVersionsQuery(dataset.org_slug, dataset.project_slug, dataset.id),
    enabled: session === 'signed-in' && dataset.role !== null,
  })
  const active = { exact: true, includeSearch: false } as const
  return (
    <nav className="tabs ds-tabs" aria-label="Dataset">
      <Link to="/datasets/$datasetId" params={params} activeOptions={active}>
        Episodes<span className="count">{formatCount(dataset.metrics.total_episodes)}</span>
      </Link>
      <Link to="/datasets/$datasetId/frames" params={params} activeOptions={active}>
        Frames
      </Link>
      <Link to="/datasets/$datasetId/statistics" params={params} activeOptions={active}>
        Statistics
      </Link>
      <Link to="/datasets/$datasetId/insights" params={params} activeOptions={active}>
        Insights
      </Link>
      <Link to="/datasets/$datasetId/files" params={params} activeOptions={active}>
        Files
      </Link>
      {dataset.role && (
        <>
          <Link to="/datasets/$datasetId/versions" params={params} activeOptions={active}>
            Versions{versions.data && <span className="count">{versions.data.length}</span>}
          </Link>
          <Link to="/datasets/$datasetId/flags" params={params} activeOptions={active}>
            Flags{flags.data && <span className="count">{flags.data.length}</span>}
          </Link>
        </>
      )}
      {canEdit(dataset.role) && (
        <Link to="/datasets/$datasetId/manage" params={params} activeOptions={active}>
          Manage
        </Link>
      )}
    </nav>
  )
}
