import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import type { Episode, Manifest } from '../data/dataset.ts'
import type { Flag } from '../data/flags.ts'
import { groupLanes, type LaneData, planLanes, readLane } from '../data/lanes.ts'
import { formatCount } from '../parts/formats.ts'
import { Failure } from '../parts/states.tsx'
import { createStore } from '../session/store.ts'
import type { PlayerClock } from './clock.ts'
import { GroupRow } from './lane-group.tsx'
import { LaneRow } from './lane-row.tsx'
import { TimelineHead } from './timeline-head.tsx'
import { TimelineOver } from './timeline-over.tsx'
import type { PlayerCuts } from './use-frame-cuts.ts'
import { useRows } from './use-rows.ts'
import type { PlayerView } from './view.ts'
import { getZoom, useZoomShare } from './zoom.ts'
import './lanes.css'

interface TimelineProps {
  dataset: Manifest
  episode: Episode
  clock: PlayerClock
  flags: readonly Flag[]
  cuts: PlayerCuts
  view: PlayerView
  mayEdit: boolean
}

/** So many lanes are drawn before the first look at what is on the screen. */
const drawnAtFirst = 10

/** Ruler, segments, flags and lanes in one column of time; one playhead crosses them all. */
export function Timeline({ dataset, episode, clock, flags, cuts, view, mayEdit }: TimelineProps) {
  const zoom = getZoom(dataset.id)
  const share = useZoomShare(zoom)
  const from = share.from * clock.last
  const to = Math.max(from + 1, share.to * clock.last)
  const { rows, whole, isPending, error, retry } = useRows(dataset, episode.episode_index, clock.frames, from, to)
  const lanes = useMemo(() => planLanes(dataset), [dataset])
  const { hiddenLanes } = view
  const groups = useMemo(() => groupLanes(lanes.filter(({ key }) => !hiddenLanes.has(key))), [lanes, hiddenLanes])
  const data = useMemo(
    () => new Map(lanes.map((lane): [string, LaneData] => [lane.key, readLane(rows, whole, lane, dataset)])),
    [rows, whole, lanes, dataset],
  )
  const [hover] = useState(() => createStore<number | undefined>(undefined))
  const over = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      clock.onFrame((frame) => {
        if (clock.isPlaying && zoom.isZoomed) zoom.follow(frame / Math.max(1, clock.last), clock.frames)
      }),
    [clock, zoom],
  )
  const frameAt = (event: { clientX: number }) => {
    const box = over.current?.getBoundingClientRect()
    if (!box) return 0
    return Math.max(0, Math.min(clock.last, Math.round(from + ((event.clientX - box.left) / box.width) * (to - from))))
  }
  let place = 0
  return (
    <div className="tracks" data-loaded={rows !== undefined}>
      <div className="tracks-inner">
        <TimelineHead
          dataset={dataset}
          episode={episode}
          clock={clock}
          flags={flags}
          cuts={cuts}
          view={view}
          zoom={zoom}
          from={from}
          to={to}
          frameAt={frameAt}
          mayEdit={mayEdit}
        />
        {error && (
          <div className="lane-note">
            <Failure error={error} what="The signals did not load" onRetry={retry} />
          </div>
        )}
        {isPending && <p className="lane-note late dim">Reading {formatCount(clock.frames)} rows …</p>}
        {groups.map(({ name, lanes: members }) => {
          const isFolded = name !== undefined && view.foldedGroups.has(name)
          const lines = members.map(({ key }) => data.get(key)).filter((one) => one !== undefined)
          return (
            <Fragment key={name ?? ''}>
              {name !== undefined && (
                <GroupRow
                  name={name}
                  data={lines}
                  from={from}
                  to={to}
                  isFolded={isFolded}
                  onToggle={() => view.toggleGroup(name)}
                />
              )}
              {!isFolded &&
                members.map((lane, at) => {
                  const line = lines[at]
                  place++
                  return line ? (
                    <LaneRow
                      key={lane.key}
                      lane={lane}
                      data={line}
                      clock={clock}
                      hover={hover}
                      from={from}
                      to={to}
                      isDifference={view.isDifference}
                      isNearAtFirst={place <= drawnAtFirst}
                    />
                  ) : null
                })}
            </Fragment>
          )
        })}
        {lanes.length === 0 && <p className="dim pad-16">No state and no action in this dataset.</p>}
        <TimelineOver {...{ over, clock, cuts, hover, zoom, from, to, frameAt }} />
      </div>
    </div>
  )
}
