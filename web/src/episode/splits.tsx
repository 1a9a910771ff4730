import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { formatCount } from '../parts/formats.ts'

/** Whether splits tell episodes apart: LeRobot writes one `train` of all into every dataset, and that says nothing. */
export const hasSplits = ({ splits, metrics }: Manifest): boolean =>
  splits.length > 1 || (splits[0] !== undefined && splits[0].episode_count !== metrics.total_episodes)

/** The splits of an episode, as marks. */
export function SplitMarks({ dataset, splits }: { dataset: Manifest; splits: readonly string[] | undefined }) {
  if (!splits || splits.length === 0 || !hasSplits(dataset)) return null
  return splits.map((name) => (
    <span key={name} className="chip tiny line" title={`In the split ${name}`}>
      {name}
    </span>
  ))
}

/** Every split with its episodes; each leads to them. */
export function SplitList({ dataset }: { dataset: Manifest }) {
  if (!hasSplits(dataset)) return null
  return (
    <section>
      <h2>Splits</h2>
      <ul className="plain-links">
        {dataset.splits.map(({ name, episode_count }) => (
          <li key={name}>
            <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} search={{ split: name }}>
              {name}
            </Link>{' '}
            <span className="dim">{formatCount(episode_count)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
