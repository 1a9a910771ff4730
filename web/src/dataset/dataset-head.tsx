import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { isVersionId } from '../data/version-id.ts'
import { Button } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { formatBytes, formatCount, formatDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { useKeys } from '../session/keys.ts'
import { useSession } from '../session/sign-in.ts'
import { VersionSource } from '../version/version-source.tsx'
import { LossMark } from './loss-mark.tsx'
import { useStartRecipe } from './start-recipe.ts'
import { UseInPython } from './use-in-python.tsx'
import './dataset-head.css'

export function DatasetHead({ dataset }: { dataset: Manifest }) {
  const { leaveOut, takeSelection } = useStartRecipe(dataset.id)
  const session = useSession()
  const [isPythonOpen, setPythonOpen] = useState(false)
  const { metrics, statistics, observation, action } = dataset
  const archive = dataset.export_artifacts.find(({ key, status }) => key === 'lerobot' && status === 'ready')
  const isSmall = matchMedia('(max-width: 1100px)').matches
  useKeys({ r: leaveOut })
  return (
    <header className="dataset-head">
      <div className="dataset-title">
        <h1>{dataset.title}</h1>
        <span className="mono dim">
          {dataset.org_slug}/{dataset.slug}
        </span>
        <span className="chip line">{dataset.visibility === 'public' ? 'Public' : 'Private'}</span>
        <span className="chip line">
          {isVersionId(dataset.id) ? 'Version' : 'Revision'} {dataset.revision_number}
        </span>
        <LossMark dataset={dataset} />
        <span
          className="chip good desktop-only"
          title="Every row has a frame in every camera; checked before publishing"
        >
          <Icon name="check" />
          {formatCount(metrics.total_frames)} rows = {formatCount(metrics.total_frames)} frames
          {observation.camera_count > 0 &&
            `, ${observation.camera_count} ${observation.camera_count === 1 ? 'camera' : 'cameras'}`}
        </span>
        <span className="end row wrap dataset-actions">
          <span className="desktop-only">
            <CopyButton look="ghost" icon="link" text={`${location.origin}/datasets/${dataset.id}`}>
              Copy link
            </CopyButton>
          </span>
          <Button onClick={() => setPythonOpen(true)}>Use in Python</Button>
          {archive && (
            <a className="button" href={archive.href} title={archive.description}>
              <Icon name="download" small />
              Download
            </a>
          )}
          {session === 'signed-in' && (
            <Link
              className="button primary"
              to="/datasets/$datasetId/recipe"
              params={{ datasetId: dataset.id }}
              onClick={takeSelection}
            >
              Start recipe
              <span className="kbd desktop-only" aria-hidden="true">
                R
              </span>
            </Link>
          )}
        </span>
      </div>
      {/* It scrolls sideways where it does not fit, and must be reachable by keyboard there. */}
      <section className="dataset-facts" aria-label="Facts" {...(isSmall ? { tabIndex: 0 } : {})}>
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
          {dataset.size_is_estimated && 'about '}
          {formatBytes(dataset.size_bytes)} <em>LeRobot {metrics.codebase_version}</em>
        </Stat>
        <Stat name="Source">
          {isVersionId(dataset.id) ? (
            <VersionSource dataset={dataset} />
          ) : (
            <>
              {dataset.source.source_label}{' '}
              <em>{dataset.source.hf_repo_id ?? `${dataset.source_layout} ${dataset.source_version}`}</em>
            </>
          )}
        </Stat>
      </section>
      <UseInPython dataset={dataset} open={isPythonOpen} onClose={() => setPythonOpen(false)} />
    </header>
  )
}

const Stat = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="dataset-fact">
    <span className="small dim">{name}</span>
    <b>{children}</b>
  </div>
)
