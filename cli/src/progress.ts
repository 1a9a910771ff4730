import type { Output, Streams } from './output.ts'
import { formatBytes, formatSeconds } from './output.ts'

export interface Progress {
  /** `done` of `total`; a total of 0 shows no bar. */
  update(done: number, total: number, words?: string): void
  end(): void
}

const redrawMs = 100
const barWidth = 24

/** A line that is drawn over on a terminal; nothing at all elsewhere, so that logs stay readable. */
export function createProgress(
  stderr: Streams['stderr'],
  output: Output,
  label: string,
  unit: 'bytes' | 'percent',
): Progress {
  if (!output.isTerminal || output.quiet || output.json) return { update: () => {}, end: () => {} }
  const began = Date.now()
  let drawnAt = 0
  let firstDone: number | undefined
  const draw = (done: number, total: number, words: string): void => {
    const share = total > 0 ? Math.min(1, done / total) : 0
    const filled = Math.round(share * barWidth)
    const bar = total > 0 ? `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(share * 100)}%` : ''
    const line = [label, bar, unit === 'bytes' ? describeBytes(done, total) : '', words].filter(Boolean).join(' ')
    stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns || 80) - 1)}`)
  }
  const describeBytes = (done: number, total: number): string => {
    const seconds = (Date.now() - began) / 1000
    const rate = seconds > 0.5 ? (done - (firstDone ?? 0)) / seconds : 0
    const left = rate > 0 && total > done ? `, ${formatSeconds((total - done) / rate)} left` : ''
    return `${formatBytes(done)} of ${formatBytes(total)}${rate > 0 ? `, ${formatBytes(rate)}/s${left}` : ''}`
  }
  return {
    update(done, total, words = '') {
      firstDone ??= done
      const now = Date.now()
      if (now - drawnAt < redrawMs && done < total) return
      drawnAt = now
      draw(done, total, words)
    },
    end() {
      if (drawnAt > 0) stderr.write('\r\u001b[K')
    },
  }
}
