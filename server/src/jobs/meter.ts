import type { Meter } from '../context.ts'
import type { JobMetrics } from './metrics.ts'

/** A worker's counts as Prometheus reads them. */
export const createJobMeter = (metrics: JobMetrics): Meter => ({
  render() {
    const { running, ...totals } = metrics
    const lines = ['# TYPE nmp_jobs_running gauge', `nmp_jobs_running ${running}`]
    for (const [name, value] of Object.entries(totals)) {
      const metric = `nmp_jobs_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`
      lines.push(`# TYPE ${metric} counter`, `${metric} ${value}`)
    }
    return `${lines.join('\n')}\n`
  },
})
