import type { MergePreview } from '@nmp/sdk/generated/records'
import { sizeMeanings, sizeNames } from '../../data/size-estimate.ts'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../parts/formats.ts'
import type { SourceFault } from './source-faults.ts'
import type { MergePreviewed } from './use-merge-preview.ts'
import '../recipe-page.css'
import '../result/result.css'
import './merge-result.css'

const most = 12

interface MergeResultProps {
  preview: MergePreviewed
  /** By task text, where frames are drawn so. */
  taskWeights: Record<string, number> | null
  faults: readonly SourceFault[]
  /** What was refused that no line shows. */
  refusal: string | undefined
}

/** What all sources give together; old numbers stay, dimmed, until the new ones come. */
export function MergeResult({ preview: { result, isOld }, taskWeights, faults, refusal }: MergeResultProps) {
  return (
    <section aria-label="Result" aria-live="polite" aria-busy={isOld}>
      <div className="row height-36">
        <h2>Result</h2>
        <span className="end small dim">
          {result && !isOld && `${plural(result.sources.length, 'source')}, ${result.fps} fps`}
        </span>
      </div>
      {(faults.length > 0 || refusal) && (
        <div className="callout below-12">
          <b>{refusal ?? `They do not fit yet: ${plural(faults.length, 'line')} to look at in the step Sources.`}</b>
        </div>
      )}
      {result && (
        <div className={isOld ? 'outdated' : ''}>
          <div className="result-figures">
            <Figure name="Episodes" value={formatCount(result.episode_count)} />
            <Figure name="Frames" value={formatCount(result.frame_count)} />
            <Figure name="Duration" value={formatDuration(result.duration_sec)} />
            <Figure
              name={sizeNames[result.estimate]}
              meaning={sizeMeanings[result.estimate]}
              value={formatBytes(result.estimated_bytes)}
            />
          </div>
          <Shares result={result} />
          <Bars
            title="Tasks"
            total={result.frame_count}
            bars={result.tasks.map((one) => ({ ...one, name: one.task }))}
          />
          {taskWeights && (
            <DrawnShares
              shares={Object.entries(taskWeights).map(([task, weight]) => ({
                name: task,
                share: weight / sum(taskWeights),
              }))}
            />
          )}
          <p className="small mid above-12">
            {plural(result.features.length, 'feature')}: {result.features.map(({ name }) => name).join(', ')}
            {result.robot_type && `; robot ${result.robot_type}`}
          </p>
        </div>
      )}
    </section>
  )
}

const Figure = ({ name, meaning, value }: { name: string; meaning?: string | undefined; value: string }) => (
  <div title={meaning}>
    <span className="small dim">{name}</span>
    {meaning && <span className="visually-hidden">{meaning}</span>}
    <b>{value}</b>
  </div>
)

/** Frames, and where there are weights how often a sampler draws them. */
function Shares({ result }: { result: MergePreview }) {
  const bars = result.sources.map((one) => ({ ...one, name: one.title }))
  const isWeighed = result.sources.some(
    ({ share, frame_count: frames }) => Math.abs(share - frames / result.frame_count) > 1e-6,
  )
  return (
    <>
      <Bars title="Sources" total={result.frame_count} bars={bars} />
      {isWeighed && <DrawnShares shares={result.sources.map(({ title, share }) => ({ name: title, share }))} />}
    </>
  )
}

const sum = (weights: Record<string, number>): number => Object.values(weights).reduce((all, weight) => all + weight, 0)

/** How often a sampler draws a frame of each. */
const DrawnShares = ({ shares }: { shares: readonly { name: string; share: number }[] }) => (
  <>
    <h3 className="above-12">Drawn by weight</h3>
    <ul className="merge-bars" aria-label="Drawn by weight">
      {shares.slice(0, most).map(({ name, share }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two sources may be called alike
        <li key={at}>
          <span className="clip">{name === '' ? 'no text' : name}</span>
          <span className="dim small">{formatPercent(share)}</span>
          <span className="meter">
            <span style={{ width: `${share * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  </>
)

interface BarsProps {
  title: string
  total: number
  bars: readonly { name: string; episode_count: number; frame_count: number; hours: number; share?: number }[]
}

function Bars({ title, total, bars }: BarsProps) {
  return (
    <>
      <div className="row above-12">
        <h3>{title}</h3>
        <span className="end small dim">length, episodes, frames</span>
      </div>
      <ul className="merge-bars" aria-label={title}>
        {bars.slice(0, most).map(({ name, episode_count: episodes, frame_count: frames, hours }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two sources may be called alike
          <li key={at}>
            <span className="clip" title={name}>
              {name === '' ? 'no text' : name}
            </span>
            <span className="dim small">
              {formatDuration(hours * 3600)}, {formatCount(episodes)}, {formatCount(frames)}
            </span>
            <span className="meter">
              <span style={{ width: `${(100 * frames) / Math.max(1, total)}%` }} />
            </span>
          </li>
        ))}
      </ul>
      {bars.length > most && <p className="small dim">and {formatCount(bars.length - most)} more</p>}
    </>
  )
}
