import { useQuery } from '@tanstack/react-query'
import { type Ranked, type Rule, rankingsQuery } from '../../data/checks.ts'
import type { Manifest } from '../../data/dataset.ts'
import { namePlace } from '../../data/episodes/rank.ts'
import { insightsQuery } from '../../data/insights.ts'
import { formatValue, plural } from '../../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { EpisodeEntry } from './episode-entry.tsx'
import { formatMeasured } from './measured.ts'
import { RankingStrip } from './ranking-strip.tsx'
import { RuleHead } from './rule-head.tsx'
import './episode-entry.css'
import './ranking-pane.css'

const mostAtAnEnd = 10

/** What a rule measures of every episode. Neither end is the wrong one. */
export function RankingPane({ dataset, rule }: { dataset: Manifest; rule: Rule }) {
  const rankings = useQuery(rankingsQuery(dataset.id, rule.id))
  const ranked = rankings.data
  return (
    <section aria-label={rule.id}>
      <RuleHead id={rule.id} rule={rule} />
      {rankings.error && (
        <Failure error={rankings.error} what="The ranking did not load" onRetry={() => void rankings.refetch()} />
      )}
      {rankings.isPending && <Skeleton rows={5} height={60} />}
      {ranked && ranked.length === 0 && (
        <Empty title="No episode could be measured">
          The rule needs something that this dataset does not have, such as a state that moves.
        </Empty>
      )}
      {ranked && ranked.length > 0 && (
        <>
          <RankingStrip dataset={dataset} rule={rule} ranked={ranked} />
          <p className="small dim above-4 below-16">
            {plural(ranked.length, 'episode')}, each with its place among the others. Which end is the better one
            depends on the task: only training tells.
          </p>
          <div className="ranking-ends">
            <End
              title="Lowest"
              dataset={dataset}
              rule={rule}
              ranked={ranked.slice(0, mostAtAnEnd)}
              total={ranked.length}
            />
            <End
              title="Highest"
              dataset={dataset}
              rule={rule}
              ranked={ranked.slice(-mostAtAnEnd).reverse()}
              total={ranked.length}
            />
          </div>
        </>
      )}
    </section>
  )
}

interface EndProps {
  title: string
  dataset: Manifest
  rule: Rule
  ranked: readonly Ranked[]
  /** Of all that were measured. */
  total: number
}

function End({ title, dataset, rule, ranked, total }: EndProps) {
  const insights = useQuery(insightsQuery(dataset.id))
  const indices = ranked.map(({ episode_index }) => episode_index)
  return (
    <section aria-label={title}>
      <h3 className="below-4">{title}</h3>
      <ol className="entries">
        {ranked.map(({ episode_index: index, value, percentile, confidence }) => (
          <EpisodeEntry
            key={index}
            dataset={dataset}
            episode={index}
            lengthFrames={insights.data?.lengthFrames[index]}
            frames={undefined}
            camera={undefined}
            walk={{ indices, words: `${title.toLowerCase()} by ${rule.id}` }}
          >
            <span className="block mid">
              {formatMeasured(value, rule.unit)}, {namePlace(percentile, total)}
              {confidence !== null && `, confidence ${formatValue(confidence)}`}
            </span>
          </EpisodeEntry>
        ))}
      </ol>
    </section>
  )
}
