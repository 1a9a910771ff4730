import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { beginWalk, type Walk } from '../../data/episodes/walk.ts'
import { useFlags } from '../../data/flags.ts'
import { useLeftOut } from '../../data/recipe/recipe-draft.ts'
import { Poster } from '../../episode/poster.tsx'
import { Check } from '../../parts/controls.tsx'
import { formatTimecode } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { toggleSelected, useSelection } from '../../session/selection.ts'
import './episode-entry.css'

interface EpisodeEntryProps {
  dataset: Manifest
  episode: number
  lengthFrames: number | undefined
  /** Half-open: where something was seen. */
  frames: readonly [from: number, to: number] | undefined
  camera: string | undefined
  walk: Walk
  /** What stands beside the number of the episode. */
  aside?: ReactNode
  children: ReactNode
}

/** An episode with the frame in question; one click opens the player there, with the frames marked. */
export function EpisodeEntry(props: EpisodeEntryProps) {
  const { dataset, episode, lengthFrames, frames, camera, walk, aside, children } = props
  const selected = useSelection(dataset.id)
  const isLeftOut = useLeftOut(dataset.id).has(episode)
  const flag = useFlags(dataset).data?.find(({ episode_index }) => episode_index === episode)
  const { fps, cameras } = { fps: dataset.metrics.fps, cameras: dataset.observation.cameras }
  const shownCamera = cameras.find(({ key }) => key === camera)?.key ?? cameras[0]?.key
  const isWhole = frames === undefined || (frames[0] === 0 && frames[1] >= (lengthFrames ?? frames[1]))
  const middle = frames ? Math.floor((frames[0] + frames[1] - 1) / 2) : Math.floor((lengthFrames ?? 0) * 0.45)
  return (
    <li className="entry" data-out={isLeftOut}>
      <Check
        kind="row"
        aria-label={`Select episode ${episode}`}
        checked={selected.has(episode)}
        onChange={() => toggleSelected(dataset.id, episode)}
      />
      <Link
        className="entry-link"
        to="/datasets/$datasetId/episodes/$episode"
        params={{ datasetId: dataset.id, episode: String(episode) }}
        search={frames && !isWhole ? { t: frames[0] / fps, from: frames[0], to: frames[1] } : {}}
        onClick={() => beginWalk(dataset.id, walk)}
      >
        {shownCamera && (
          <span className="entry-picture">
            <Poster
              dataset={dataset}
              episode={episode}
              camera={shownCamera}
              frame={middle}
              className="thumb"
              width={96}
              height={72}
            />
            {!isWhole && frames && <span className="osd bottom-left">{formatTimecode(frames[0] / fps)}</span>}
          </span>
        )}
        <span className="fill">
          <span className="row gap-6 wrap">
            <b>Episode {episode}</b>
            {aside}
            {isLeftOut && <span className="chip tiny">left out</span>}
            {flag && (
              <span className="chip flag tiny">
                <Icon name="flag" />
                {flag.reason}
              </span>
            )}
          </span>
          {children}
        </span>
        <span className="entry-open">
          <Icon name="right" small />
        </span>
      </Link>
    </li>
  )
}
