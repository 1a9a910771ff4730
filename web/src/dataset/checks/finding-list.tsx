import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Checks, Finding, RuleCounts } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { insightsQuery } from '../../data/insights.ts'
import { nameRule } from '../../data/rule-names.ts'
import { Button, Segmented } from '../../parts/controls.tsx'
import { formatCount, plural, shortName } from '../../parts/formats.ts'
import { Empty } from '../../parts/states.tsx'
import { EpisodeEntry } from './episode-entry.tsx'
import { FoundCommands } from './found-commands.tsx'
import './episode-entry.css'
import './finding-list.css'

interface FindingListProps {
  dataset: Manifest
  counts: RuleCounts
  direction: 'above' | 'below'
  findings: readonly Finding[]
  /** Another cut-off was asked for, and this is still the list of the one before. */
  isComing: boolean
  lookedAt: Pick<Checks, 'episodes' | 'frames'>
}

const shownAtFirst = 30

/** Everything that a rule found, each with the frame in question. */
export function FindingList({ dataset, counts, direction, findings, isComing, lookedAt }: FindingListProps) {
  const [order, setOrder] = useState<'worst' | 'episode'>('worst')
  const [most, setMost] = useState(shownAtFirst)
  const insights = useQuery(insightsQuery(dataset.id))
  const sorted = useMemo(() => {
    if (order === 'episode') return findings
    const sign = direction === 'below' ? 1 : -1
    return findings.toSorted((a, b) => sign * (Math.abs(a.value ?? 0) - Math.abs(b.value ?? 0)))
  }, [findings, order, direction])
  const indices = useMemo(() => [...new Set(sorted.flatMap((one) => one.episode_index ?? []))], [sorted])
  const walk = { indices, words: `with ${nameRule(counts.id).toLowerCase()}` }
  if (findings.length === 0)
    return (
      <div className="found-list" data-coming={isComing}>
        <div className="row min-height-36" role="status" data-testid="found">
          <b>Nothing found</b>
        </div>
        <Empty title={counts.needs_run ? 'The last run found nothing' : 'Nothing is found at this cut-off'}>
          It was looked for in {plural(lookedAt.episodes ?? 0, 'episode')}, {plural(lookedAt.frames ?? 0, 'frame')}.
          {counts.needs_run && ' What the saved cut-off finds is known after another run.'}
        </Empty>
      </div>
    )
  return (
    <div className="found-list" data-coming={isComing}>
      <div className="row wrap min-height-36">
        <span role="status" data-testid="found">
          <b>{plural(findings.length, 'finding')}</b>
          {indices.length > 0 && ` in ${plural(indices.length, 'episode')}`}
        </span>
        {indices.length > 1 && (
          <Segmented<'worst' | 'episode'>
            small
            label="Order"
            value={order}
            onChange={setOrder}
            options={[
              { value: 'worst', label: 'Worst first' },
              { value: 'episode', label: 'By episode' },
            ]}
          />
        )}
        <FoundCommands dataset={dataset} counts={counts} findings={findings} indices={indices} />
      </div>
      <ol className="entries">
        {sorted.slice(0, most).map((finding, at) =>
          finding.episode_index === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id, and the list is made anew as a whole
            <li key={at} className="entry">
              <span>{finding.sentence}</span>
            </li>
          ) : (
            <EpisodeEntry
              // biome-ignore lint/suspicious/noArrayIndexKey: findings have no id, and the list is made anew as a whole
              key={at}
              dataset={dataset}
              episode={finding.episode_index}
              lengthFrames={insights.data?.lengthFrames[finding.episode_index]}
              frames={listFrames(finding)}
              camera={finding.camera ?? undefined}
              walk={walk}
              aside={<Where finding={finding} />}
            >
              <span className="block mid">{finding.sentence}</span>
            </EpisodeEntry>
          ),
        )}
      </ol>
      {sorted.length > most && (
        <Button className="above-12" onClick={() => setMost(most + 100)}>
          Show more of {plural(sorted.length, 'finding')}
        </Button>
      )}
      {counts.unlisted > 0 && (
        <p className="small dim above-8">
          {plural(counts.unlisted, 'finding')} more {counts.unlisted === 1 ? 'is' : 'are'} counted and not listed: a
          rule lists {formatCount(1000)}, and twenty of an episode.
        </p>
      )}
    </div>
  )
}

const listFrames = ({ frame_from: from, frame_to: to }: Finding): [number, number] | undefined =>
  from === null || to === null ? undefined : [from, to]

function Where({ finding: { frame_from: from, frame_to: to, camera, feature } }: { finding: Finding }) {
  const frames =
    from === null || to === null ? [] : to - from === 1 ? [`frame ${from}`] : [`frames ${from} to ${to - 1}`]
  const name = camera ?? feature
  return <span className="dim small">{[...frames, ...(name === null ? [] : [shortName(name)])].join(', ')}</span>
}
