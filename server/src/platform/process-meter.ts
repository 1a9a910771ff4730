import { performance } from 'node:perf_hooks'
import type { Metrics } from '../metrics.ts'

/** What the process itself uses. */
export function addProcessMetrics(metrics: Metrics): void {
  metrics.addReading('process_resident_memory_bytes', 'gauge', () => process.memoryUsage.rss())
  metrics.addReading('nmp_heap_used_bytes', 'gauge', () => process.memoryUsage().heapUsed)
  metrics.addReading('process_cpu_seconds_total', 'counter', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.addReading('nmp_event_loop_utilization', 'gauge', () => performance.eventLoopUtilization().utilization)
}
