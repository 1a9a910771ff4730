import type { CutsPreview } from '@nmp/sdk/generated/records'
import { formatCount, formatDuration, formatPercent, plural } from '../parts/formats.ts'
import './cut-effect.css'

type Effect = Pick<CutsPreview, 'cut' | 'source_frame_count' | 'frame_count'>

/** What a recipe cuts of the whole dataset: in a sentence, and how much of each episode. */
export function CutEffect({ effect, isOld }: { effect: Effect; isOld: boolean }) {
  const { cut } = effect
  if (!cut || cut.frame_count === 0)
    return (
      <p className="cut-effect" data-old={isOld} aria-live="polite">
        No frame goes.
      </p>
    )
  const before = effect.frame_count + cut.frame_count
  return (
    <div className="cut-effect" data-old={isOld} aria-live="polite">
      <p>
        <b>{plural(cut.frame_count, 'frame')}</b> go, <b>{formatDuration(cut.duration_sec)}</b>,{' '}
        {formatPercent(cut.frame_count / Math.max(1, before))}
        <span className="block mid">
          of {plural(cut.episode_count, 'episode')}
          {cut.dropped_episode_count > 0 && `, ${formatCount(cut.dropped_episode_count)} wholly`}
        </span>
      </p>
      <CutHistogram {...cut.histogram} />
    </div>
  )
}

/** How many episodes lose how much: as many bars as there are bins, each named by its seconds. */
function CutHistogram({ bin_sec: width, episode_counts: counts }: { bin_sec: number; episode_counts: number[] }) {
  if (counts.length === 0) return null
  const most = Math.max(...counts)
  const end = formatSeconds(width * counts.length)
  return (
    <figure
      className="cut-histogram"
      aria-label={`Seconds that an episode loses, 0 to ${end}, at most ${most} episodes`}
    >
      <div>
        {counts.map((count, bin) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
            key={bin}
            title={`${formatSeconds(bin * width)} to ${formatSeconds((bin + 1) * width)}: ${plural(count, 'episode')}`}
            style={{ height: count === 0 ? 0 : `${Math.max(6, (count / most) * 100)}%` }}
          />
        ))}
      </div>
      <figcaption>
        <span>0</span>
        <span>lost per episode</span>
        <span>{end}</span>
      </figcaption>
    </figure>
  )
}

const formatSeconds = (seconds: number): string =>
  seconds < 120 ? `${Number(seconds.toFixed(2))} s` : formatDuration(seconds)
