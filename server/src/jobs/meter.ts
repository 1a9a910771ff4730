import type { Metrics } from '../metrics.ts'
import type { JobMetrics } from './metrics.ts'

/** A worker's counts as Prometheus reads them. */
export function addJobMetrics(metrics: Metrics, counts: JobMetrics): void {
  metrics.addReading('nmp_jobs_running', 'gauge', () => counts.running)
  const { running: _, ...totals } = counts
  for (const name of Object.keys(totals) as (keyof typeof totals)[]) {
    const metric = `nmp_jobs_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`
    metrics.addReading(metric, 'counter', () => counts[name])
  }
}
