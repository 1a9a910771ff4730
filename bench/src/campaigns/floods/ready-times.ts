import type { Program } from '../../../../e2e/program.ts'

/** What others may have to wait for `/readyz`. */
export const bar = { milliseconds: 250, ofTries: 0.99 }
export const betweenTries = 20

export interface ReadyTimes {
  median: number
  p99: number
  largest: number
}

/** Milliseconds; without end where it was not ready. */
export async function askReady(program: Program): Promise<number> {
  const start = performance.now()
  const { status } = await program.call('GET', '/readyz')
  return status === 200 ? performance.now() - start : Number.POSITIVE_INFINITY
}

export function describeTimes(times: readonly number[]): ReadyTimes {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10
  return { median: at(0.5), p99: at(bar.ofTries), largest: at(1) }
}
