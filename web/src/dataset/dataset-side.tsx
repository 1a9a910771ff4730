import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount, formatValue } from '../parts/formats.ts'
import { LengthHistogram } from '../parts/length-histogram.tsx'
import { DatasetCard } from './dataset-card.tsx'
import { Poster } from './poster.tsx'
import { type FeatureStatistics, featureStatisticsQuery, type Manifest } from './queries.ts'

/** What the dataset is, at a glance, beside every tab: cameras, tasks, lengths, signals. Where there is no room beside it stands in Statistics. */
export function DatasetSide({ dataset, place = 'side' }: { dataset: Manifest; place?: 'side' | 'page' }) {
  const { observation, statistics, metrics } = dataset
  const { shortest_episode_sec: shortest, longest_episode_sec: longest, mean_episode_sec: mean } = statistics
  return (
    <aside className="ds-side" data-place={place} aria-label="Cameras, tasks, lengths and signals">
      <section>
        <h2>Cameras</h2>
        {observation.cameras.length === 0 && <p className="dim">None: state and action only.</p>}
        {observation.cameras.map((camera) => (
          <div className="ds-cam" key={camera.key}>
            <Poster
              dataset={dataset}
              episode={0}
              camera={camera.key}
              frame={0}
              className="thumb"
              width={88}
              height={66}
              alt={`First frame of ${camera.label}`}
            />
            <div className="min-w-0">
              <b className="block">{camera.label}</b>
              <span className="mono dim xs block clip" title={camera.key}>
                {camera.key}
              </span>
              <span className="sm mid block">
                {camera.width} x {camera.height} · {camera.fps} fps
              </span>
              <span className="sm dim block">
                {camera.depth_map ? 'depth, ' : ''}
                {camera.codec ? camera.codec.toUpperCase() : 'images'}
              </span>
            </div>
          </div>
        ))}
      </section>
      <section>
        <div className="row">
          <h2>Lengths</h2>
          <span className="end sm dim">
            {statistics.exact ? `exact, all ${metrics.total_episodes}` : `sampled, ${statistics.sample_size}`}
          </span>
        </div>
        <LengthHistogram
          bins={statistics.histogram}
          meanText={`mean ${mean.toFixed(2)} s`}
          meanAt={longest > shortest ? (mean - shortest) / (longest - shortest) : undefined}
        />
      </section>
      <Signals dataset={dataset} />
      <Tasks dataset={dataset} />
      <DatasetCard dataset={dataset} />
    </aside>
  )
}

const fewTasks = 6

/** Each leads to its episodes. */
function Tasks({ dataset }: { dataset: Manifest }) {
  const tasks = dataset.tasks.filter((task) => task !== '').slice(0, fewTasks)
  const more = dataset.metrics.total_tasks - tasks.length
  if (tasks.length === 0) return null
  return (
    <section>
      <h2>Tasks</h2>
      <ul className="ds-tasks">
        {tasks.map((task) => (
          <li key={task}>
            <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} search={{ q: task }}>
              {task}
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && tasks.length === fewTasks && <p className="sm dim">and {formatCount(more)} more</p>}
    </section>
  )
}

function Signals({ dataset }: { dataset: Manifest }) {
  const features = useQuery(featureStatisticsQuery(dataset.id))
  const find = (key: string | undefined) => features.data?.find(({ name }) => name === key)
  const state = find(dataset.observation.state?.key)
  const action = find(dataset.action?.key)
  const named = dataset.observation.state ?? dataset.action
  if (!named || (!state && !action)) return null
  const names = named.names.slice(0, 16)
  return (
    <section>
      <div className="row">
        <h2>Signals</h2>
        <span className="end sm dim">
          min, <b>1 to 99 %</b>, max
        </span>
      </div>
      {names.map((name, index) => (
        <SignalRow key={name} name={name} index={index} state={state} action={action} />
      ))}
      {named.names.length > names.length && (
        <p className="sm dim">and {named.names.length - names.length} more in Statistics</p>
      )}
      <div className="row mt-1 gap-4">
        <span className="leg sm">
          <i style={{ background: 'var(--state-line)' }} />
          state
        </span>
        <span className="leg sm">
          <i style={{ background: 'var(--action-line)' }} />
          action
        </span>
      </div>
    </section>
  )
}

interface SignalRowProps {
  name: string
  index: number
  state: FeatureStatistics | undefined
  action: FeatureStatistics | undefined
}

function SignalRow({ name, index, state, action }: SignalRowProps) {
  const at = (values: number[] | null | undefined) => values?.[index]
  const low = Math.min(at(state?.min) ?? Number.POSITIVE_INFINITY, at(action?.min) ?? Number.POSITIVE_INFINITY)
  const high = Math.max(at(state?.max) ?? Number.NEGATIVE_INFINITY, at(action?.max) ?? Number.NEGATIVE_INFINITY)
  const range = high - low || 1
  const share = (value: number | undefined) => (((value ?? low) - low) / range) * 100
  const bar = (feature: FeatureStatistics | undefined, color: string) =>
    feature && (
      <div className="sig-bar">
        <i
          className="w"
          style={{ left: `${share(at(feature.min))}%`, right: `${100 - share(at(feature.max))}%`, background: color }}
        />
        <i
          className="q"
          style={{ left: `${share(at(feature.q01))}%`, right: `${100 - share(at(feature.q99))}%`, background: color }}
        />
        <i className="m" style={{ left: `${share(at(feature.mean))}%` }} />
      </div>
    )
  return (
    <div className="sig-row">
      <span className="clip" title={name}>
        {name}
      </span>
      <em>{formatValue(low, range * 10)}</em>
      <div>
        {bar(state, 'var(--state-line)')}
        {bar(action, 'var(--action-line)')}
      </div>
      <em>{formatValue(high, range * 10)}</em>
    </div>
  )
}
