import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FeatureStatistics, featureStatisticsQuery, type Manifest } from '../data/dataset.ts'
import { type LaneSpec, planLanes } from '../data/episodes/lanes.ts'
import { Poster } from '../episode/poster.tsx'
import { SplitList } from '../episode/splits.tsx'
import { formatCount, formatValue } from '../parts/formats.ts'
import { LengthHistogram } from '../parts/length-histogram.tsx'
import { DatasetCard } from './dataset-card.tsx'
import './dataset-side.css'

/** What the dataset is, at a glance, beside every tab: cameras, tasks, lengths, signals. Where there is no room beside it stands in Statistics. */
export function DatasetSide({ dataset, place = 'side' }: { dataset: Manifest; place?: 'side' | 'page' }) {
  const { observation, statistics, metrics } = dataset
  const { shortest_episode_sec: shortest, longest_episode_sec: longest, mean_episode_sec: mean } = statistics
  return (
    <aside className="dataset-side" data-place={place} aria-label="Cameras, tasks, lengths and signals">
      <section>
        <h2>Cameras</h2>
        {observation.cameras.length === 0 && <p className="dim">None, only state and action.</p>}
        {observation.cameras.map((camera) => (
          <div className="dataset-camera" key={camera.key}>
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
            <div className="shrinkable">
              <b className="block">{camera.label}</b>
              <span className="mono dim smallest block clip" title={camera.key}>
                {camera.key}
              </span>
              <span className="small mid block">
                {camera.width} x {camera.height} · {camera.fps} fps
              </span>
              <span className="small dim block">
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
          <span className="end small dim">
            {statistics.exact
              ? `exact, all ${formatCount(metrics.total_episodes)}`
              : `sampled, ${formatCount(statistics.sample_size)}`}
          </span>
        </div>
        <LengthHistogram
          bins={statistics.histogram}
          meanText={`mean ${mean.toFixed(2)} s`}
          meanAt={longest > shortest ? (mean - shortest) / (longest - shortest) : undefined}
        />
      </section>
      <Signals dataset={dataset} />
      <SplitList dataset={dataset} />
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
      <ul className="plain-links">
        {tasks.map((task) => (
          <li key={task}>
            <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} search={{ q: task }}>
              {task}
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && tasks.length === fewTasks && <p className="small dim">and {formatCount(more)} more</p>}
    </section>
  )
}

const mostSignals = 16
const shortLabel = 9

/** State over the action it belongs to, as the player pairs them: others have a row and a scale of their own. */
function Signals({ dataset }: { dataset: Manifest }) {
  const features = useQuery(featureStatisticsQuery(dataset.id))
  const find = (key: string | undefined) => features.data?.find(({ name }) => name === key)
  const state = find(dataset.observation.state?.key)
  const action = find(dataset.action?.key)
  const lanes = planLanes(dataset)
  // Their place is kept until the numbers are here.
  if (lanes.length === 0 || (features.data && !state && !action)) return null
  const shown = lanes.slice(0, mostSignals)
  return (
    <section>
      <div className="row">
        <h2>Signals</h2>
        <span className="end small dim">
          min, <b>1 to 99 %</b>, max
        </span>
      </div>
      <div className="signal-rows" data-long={shown.some(({ label }) => label.length > shortLabel)}>
        {shown.map((lane) => (
          <SignalRow key={lane.key} lane={lane} state={state} action={action} />
        ))}
      </div>
      {lanes.length > shown.length && (
        <p className="small dim">and {formatCount(lanes.length - shown.length)} more in Statistics</p>
      )}
      <div className="row above-4 gap-16">
        <span className="legend small">
          <i className="state" />
          state
        </span>
        <span className="legend small">
          <i className="action" />
          action
        </span>
      </div>
    </section>
  )
}

interface SignalRowProps {
  lane: LaneSpec
  state: FeatureStatistics | undefined
  action: FeatureStatistics | undefined
}

function SignalRow({ lane, state, action }: SignalRowProps) {
  const lines = [
    { color: 'var(--state-line)', ...readRange(state, lane.stateDimension) },
    { color: 'var(--action-line)', ...readRange(action, lane.actionDimension) },
  ].filter(({ min, max }) => min !== undefined && max !== undefined)
  const low = Math.min(...lines.map(({ min = 0 }) => min))
  const high = Math.max(...lines.map(({ max = 0 }) => max))
  const range = high - low || 1
  const share = (value: number | undefined) => (((value ?? low) - low) / range) * 100
  return (
    <div className="signal-row">
      <span className="clip signal-name" title={lane.label}>
        {lane.label}
      </span>
      <em>{lines.length > 0 && formatValue(low, range * 10)}</em>
      <div>
        {lines.map(({ color, min, max, q01, q99, mean }) => (
          <div className="signal-bar" key={color}>
            <i
              className="signal-whole"
              style={{ left: `${share(min)}%`, right: `${100 - share(max)}%`, background: color }}
            />
            <i
              className="signal-most"
              style={{ left: `${share(q01)}%`, right: `${100 - share(q99)}%`, background: color }}
            />
            <i className="signal-mean" style={{ left: `${share(mean)}%` }} />
          </div>
        ))}
      </div>
      <em>{lines.length > 0 && formatValue(high, range * 10)}</em>
    </div>
  )
}

function readRange(feature: FeatureStatistics | undefined, dimension: number | undefined) {
  const at = (values: number[] | null | undefined) => (dimension === undefined ? undefined : values?.[dimension])
  return {
    min: at(feature?.min),
    max: at(feature?.max),
    q01: at(feature?.q01),
    q99: at(feature?.q99),
    mean: at(feature?.mean),
  }
}
