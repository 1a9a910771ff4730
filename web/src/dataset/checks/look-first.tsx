import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Checks, type Finding, findingsQuery } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { insightsQuery } from '../../data/insights.ts'
import { severityLooks } from '../../data/rule-names.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural } from '../../parts/formats.ts'
import { Empty } from '../../parts/states.tsx'
import { addToSelection } from '../../session/selection.ts'
import { EpisodeEntry } from './episode-entry.tsx'
import { SetValues } from './set-values.tsx'
import './episode-entry.css'

const shownAtFirst = 20

/** The order in which to look at the episodes, each with its reasons in words. */
export function LookFirst({ dataset, checks }: { dataset: Manifest; checks: Checks }) {
  const [most, setMost] = useState(shownAtFirst)
  const findings = useQuery(findingsQuery(dataset.id, undefined, undefined))
  const insights = useQuery(insightsQuery(dataset.id))
  const places = useMemo(
    () => findPlaces(findings.data?.items ?? [], insights.data?.lengthFrames ?? []),
    [findings.data, insights.data],
  )
  const list = checks.look_first
  const indices = list.map(({ episode_index }) => episode_index)
  return (
    <section aria-label="Look at these first">
      <div className="row wrap below-8 min-height-28">
        <h2>Look at these first</h2>
        <Totals checks={checks} />
        {list.length > 0 && (
          <Button small className="end" onClick={() => addToSelection(dataset.id, indices)}>
            Select all {formatCount(list.length)}
          </Button>
        )}
      </div>
      <SetValues values={checks.set_values} />
      {list.length === 0 ? (
        <NothingFound checks={checks} hasCameras={dataset.observation.cameras.length > 0} />
      ) : (
        <ol className="entries">
          {list.slice(0, most).map(({ episode_index: index, reasons }) => {
            const place = places.get(index)
            const length = insights.data?.lengthFrames[index]
            return (
              <EpisodeEntry
                key={index}
                dataset={dataset}
                episode={index}
                lengthFrames={length}
                frames={place && [place.frame_from ?? 0, place.frame_to ?? 0]}
                camera={place?.camera ?? undefined}
                walk={{ indices, words: 'to look at first' }}
              >
                <ul className="entry-reasons">
                  {reasons.map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                </ul>
              </EpisodeEntry>
            )
          })}
        </ol>
      )}
      {list.length > most && (
        <Button className="above-12" onClick={() => setMost(most + 100)}>
          Show more of {plural(list.length, 'episode')}
        </Button>
      )}
    </section>
  )
}

/** Of each episode the finding to show: one that names some of its frames before one that is of all of them, then the most severe. */
function findPlaces(findings: readonly Finding[], lengths: readonly number[]): Map<number, Finding> {
  const places = new Map<number, Finding>()
  const isPart = ({ episode_index: index, frame_from: from, frame_to: to }: Finding): boolean =>
    from !== null && to !== null && (from > 0 || to < (lengths[index ?? -1] ?? to))
  for (const finding of [...findings.filter(isPart), ...findings]) {
    const { episode_index: index, frame_from: from } = finding
    if (index !== null && from !== null && !places.has(index)) places.set(index, finding)
  }
  return places
}

function Totals({ checks: { severities } }: { checks: Checks }) {
  const shown = (['error', 'warning', 'info'] as const).filter((severity) => severities[severity].findings > 0)
  return (
    <span className="row gap-6 wrap">
      {shown.map((severity) => {
        const { word, many, chip } = severityLooks[severity]
        return (
          <span key={severity} className={`chip ${chip}`}>
            {plural(severities[severity].findings, word, many)}
          </span>
        )
      })}
    </span>
  )
}

/** What was looked at is said too: nothing found by rules that did not run is no good news. */
function NothingFound({ checks, hasCameras }: { checks: Checks; hasCameras: boolean }) {
  const flags = checks.rules.filter(({ kind, family }) => kind === 'flag' && family !== null).length
  const arePicturesSeen = checks.pictures.rule_set_version !== null
  return (
    <Empty title="Nothing was found">
      {flags} rules looked at {plural(checks.episodes ?? 0, 'episode')}, {plural(checks.frames ?? 0, 'frame')}, and no
      episode stands out in a ranking.
      {hasCameras && !arePicturesSeen && ' The pictures have not been looked at.'}
    </Empty>
  )
}
