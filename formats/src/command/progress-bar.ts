import type { Progress, ReportProgress } from '../dataset.ts'

export interface ProgressBar extends Disposable {
  readonly report: ReportProgress
  /** Removes the bar so that text can be printed. */
  clear(): void
}

const width = 24
const minIntervalMs = 100

/** A bar on the terminal's error stream; nothing at all where that is a file or a pipe. */
export function createProgressBar(isWanted: boolean): ProgressBar {
  const stream = process.stderr
  if (!isWanted || !stream.isTTY) return { report: () => {}, clear: () => {}, [Symbol.dispose]: () => {} }
  let shownAt = 0
  let isShown = false
  const clear = () => {
    if (isShown) stream.write('\r\x1b[K')
    isShown = false
  }
  const report = ({ phase, done, total }: Progress) => {
    const now = performance.now()
    if (now - shownAt < minIntervalMs && done < total) return
    shownAt = now
    isShown = true
    const filled = Math.round((width * done) / Math.max(1, total))
    stream.write(`\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${phase} ${done} of ${total}`)
  }
  return { report, clear, [Symbol.dispose]: clear }
}
