import { performance } from 'node:perf_hooks'

/** What the process itself uses. */
export const processMeter = {
  render(): string {
    const { rss, heapUsed } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${rss}`,
      '# TYPE nmp_heap_used_bytes gauge',
      `nmp_heap_used_bytes ${heapUsed}`,
      '# TYPE process_cpu_seconds_total counter',
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
      '# TYPE nmp_event_loop_utilization gauge',
      `nmp_event_loop_utilization ${performance.eventLoopUtilization().utilization}`,
      '',
    ].join('\n')
  },
}
