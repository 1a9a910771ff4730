import type { Metrics } from '../metrics.ts'

/** What /metrics says about the Hub door, beside the requests that it shares with the rest. */
export interface HubMeter {
  count(group: string, status: number, sentBytes: number): void
  countWait(outcome: 'made' | 'unfinished'): void
}

export function createHubMeter(metrics: Metrics): HubMeter {
  let sent = 0
  const requests = metrics.addCounter('nmp_hub_requests_total')
  metrics.addReading('nmp_hub_sent_bytes_total', 'counter', () => sent)
  const waits = metrics.addCounter('nmp_hub_version_waits_total')
  return {
    count(group, status, sentBytes) {
      requests.count({ group, status })
      sent += sentBytes
    },
    countWait: (outcome) => waits.count({ outcome }),
  }
}
