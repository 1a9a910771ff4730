import { useQuery } from '@tanstack/react-query'
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { type Episode, featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import {
  groupLanes,
  hasPairs,
  type LaneData,
  type LaneRange,
  type LaneSpec,
  planColumnLanes,
  planLanes,
  readLane,
  spreadLane,
} from '../../data/episodes/lanes.ts'
import type { Flag } from '../../data/flags.ts'
import { formatCount } from '../../parts/formats.ts'
import { Failure } from '../../parts/states.tsx'
import { createStore } from '../../session/store.ts'
import type { PlayerClock } from '../clock.ts'
import { GroupRow } from '../lanes/lane-group.tsx'
import { LaneRow } from '../lanes/lane-row.tsx'
import { TextLane } from '../lanes/text-lane.tsx'
import { usePlottedColumns } from '../lanes/use-plotted-columns.ts'
import { listLaneColumns, useRows } from '../lanes/use-rows.ts'
import type { PlayerView } from '../view.ts'
import { TimelineHead } from './timeline-head.tsx'
import { TimelineOver } from './timeline-over.tsx'
import type { PlayerCuts } from './use-frame-cuts.ts'
import { getZoom, useZoomShare } from './zoom.ts'
import '../lanes/lanes.css'

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
  const { hiddenLanes, columns, range } = view
  const known = usePlottedColumns(dataset, columns.length > 0)
  const chosen = useMemo(
    () => columns.flatMap((name) => known?.find((one) => one.name === name) ?? []),
    [columns, known],
  )
  const asked = { dataset, episode: episode.episode_index, frames: clock.frames, from, to }
  const { rows, whole, isPending, error, retry } = useRows({
    ...asked,
    columns: useMemo(() => listLaneColumns(dataset), [dataset]),
  })
  const more = useRows({ ...asked, columns: useMemo(() => chosen.map(({ name }) => name), [chosen]) })
  const lanes = useMemo(() => [...planLanes(dataset), ...planColumnLanes(chosen)], [dataset, chosen])
  const groups = useMemo(() => groupLanes(lanes.filter(({ key }) => !hiddenLanes.has(key))), [lanes, hiddenLanes])
  const extremes = useExtremes(dataset, range)
  const data = useMemo(() => {
    const read = (lane: LaneSpec): LaneData => {
      const line = lane.column ? readLane(more.rows, more.whole, lane, dataset) : readLane(rows, whole, lane, dataset)
      return extremes ? spreadLane(line, lane, dataset, extremes) : line
    }
    return new Map(lanes.map((lane) => [lane.key, read(lane)]))
  }, [rows, whole, more.rows, more.whole, lanes, dataset, extremes])
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
          hasPairs={hasPairs(lanes)}
          mayEdit={mayEdit}
        />
        <div className="tracks-lanes">
          {error && (
            <div className="lane-note">
              <Failure error={error} what="The signals did not load" onRetry={retry} />
            </div>
          )}
          {isPending && <p className="lane-reading late dim">Reading {formatCount(clock.frames)} rows …</p>}
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
                    if (lane.column?.isText)
                      return (
                        <TextLane
                          key={lane.key}
                          lane={lane}
                          rows={more.rows}
                          frames={clock.frames}
                          from={from}
                          to={to}
                        />
                      )
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
                        isFitted={range === 'shown'}
                        isNearAtFirst={place <= drawnAtFirst}
                      />
                    ) : null
                  })}
              </Fragment>
            )
          })}
          {more.error && (
            <div className="lane-note">
              <Failure error={more.error} what="The columns did not load" onRetry={more.retry} />
            </div>
          )}
          {lanes.length === 0 && (
            <p className="dim pad-16">No state and no action in this dataset. Its other columns are under Columns.</p>
          )}
          <TimelineOver {...{ over, clock, cuts, hover, zoom, from, to, frameAt }} />
        </div>
      </div>
    </div>
  )
}

/** The smallest and the largest value of every column of numbers, where axes span the dataset. */
function useExtremes(dataset: Manifest, range: LaneRange) {
  const isWanted = range === 'dataset'
  const features = useQuery({ ...featureStatisticsQuery(dataset.id), enabled: isWanted })
  return useMemo(
    () => (isWanted ? features.data?.map(({ name, min, max }) => ({ name, low: min, high: max })) : undefined),
    [features.data, isWanted],
  )
}
