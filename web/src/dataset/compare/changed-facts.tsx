import type { Diff } from '../../data/diff.ts'
import { formatCount, formatSigned, plural } from '../../parts/formats.ts'
import { TableScroll } from '../../parts/table-scroll.tsx'
import './changed-facts.css'

const featureWords = {
  added: 'Added',
  removed: 'Removed',
  renamed: 'Renamed',
  reshaped: 'Other shape',
} as const

export const ChangedFeatures = ({ features }: { features: NonNullable<Diff['features']> }) => (
  <section>
    <h2 className="below-8">Features and cameras</h2>
    <ul className="changed-features">
      {features.map(({ change, kind, from, to, from_shape: before, to_shape: after }) => (
        <li key={`${from} ${to}`} data-change={change}>
          <span className="chip tiny changed-word">{featureWords[change]}</span>
          <span className="mono small break-anywhere">
            {change === 'renamed' ? (
              <>
                {from} → {to}
              </>
            ) : (
              (to ?? from)
            )}
          </span>
          <span className="small mid">
            {kind === 'camera' ? 'camera' : ''} {change === 'reshaped' && `${before?.join('×')} → ${after?.join('×')}`}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

/** What a person would call moved; the rest is counted. */
const leastKs = 0.02
const leastSigmas = 0.05
const mostShown = 24

export function MovedStatistics({ statistics }: { statistics: NonNullable<Diff['statistics']> }) {
  const moved = statistics.items.filter(
    ({ ks, shift_sigmas: shift }) => (ks ?? 0) >= leastKs || shift === null || Math.abs(shift) >= leastSigmas,
  )
  return (
    <section>
      <h2>Statistics that moved</h2>
      <p className="small mid above-4 below-8">
        {moved.length === 0
          ? `None of ${plural(statistics.total, 'dimension')} moved by more than ${leastSigmas} σ.`
          : 'KS is the distance between the two distributions, 0 to 1, estimated from their quantiles. σ is how far the mean moved, in standard deviations; exact.'}
      </p>
      {moved.length > 0 && (
        <TableScroll label="Statistics that moved">
          <table className="table">
            <thead>
              <tr>
                <th>Dimension</th>
                <th>KS</th>
                <th className="align-right">Mean</th>
              </tr>
            </thead>
            <tbody>
              {moved.slice(0, mostShown).map(({ feature, dimension, name, ks, shift_sigmas: shift, from, to }) => (
                <tr
                  key={`${feature} ${dimension}`}
                  title={`mean ${from.mean.toPrecision(4)} → ${to.mean.toPrecision(4)}`}
                >
                  <td className="small">
                    <span className="mono">{feature}</span> <b>{name ?? dimension}</b>
                  </td>
                  <td>
                    <span className="distance-bar">
                      <i style={{ width: `${100 * (ks ?? 0)}%` }} />
                    </span>
                    <span className="small mono">{ks === null ? '?' : ks.toFixed(2)}</span>
                  </td>
                  <td className="align-right small mono">
                    {shift === null ? 'other constant' : `${formatSigned(shift, 10)} σ`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
      {moved.length > mostShown && (
        <p className="small mid above-4">and {formatCount(moved.length - mostShown)} more</p>
      )}
      {statistics.unknown.length > 0 && (
        <p className="small mid above-8">
          Known after the export: <span className="mono">{statistics.unknown.join(', ')}</span>
        </p>
      )}
    </section>
  )
}

export function ChangedTasks({ tasks }: { tasks: Diff['tasks'] }) {
  const changed = tasks.items.filter(({ from_episodes: from, to_episodes: to }) => from !== to)
  return (
    <section>
      <h2 className="below-8">Tasks</h2>
      {changed.length === 0 && <p className="small mid">The same texts, in as many episodes.</p>}
      {changed.length > 0 && (
        <table className="table">
          <tbody>
            {changed.slice(0, mostShown).map(({ task, from_episodes: from, to_episodes: to }) => (
              <tr key={task} className="task-row" data-change={from === 0 ? 'added' : to === 0 ? 'removed' : 'moved'}>
                <td className="small wrap-text">{task}</td>
                <td className="align-right small mono">
                  {formatCount(from)} → {formatCount(to)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

export const ChangedRecipe = ({ keys }: { keys: Diff['recipe'] }) => (
  <section>
    <h2 className="below-8">Recipe</h2>
    <table className="table">
      <tbody>
        {keys.map(({ key, from, to }) => (
          <tr key={key}>
            <td className="mono small">{key}</td>
            <td className="small wrap-text break-anywhere">
              {showValue(from)} → {showValue(to)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const mostLetters = 120
const showValue = (value: unknown): string => {
  const text = value === null || value === undefined ? 'unset' : JSON.stringify(value)
  return text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text
}
