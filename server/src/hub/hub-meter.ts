/** What /metrics says about the Hub door, beside the requests that it shares with the rest. */
export interface HubMeter {
  count(group: string, status: number, sentBytes: number): void
  countWait(outcome: 'made' | 'unfinished'): void
  render(): string
}

export function createHubMeter(): HubMeter {
  const requests = new Map<string, number>()
  const waits = new Map<string, number>()
  let sent = 0
  const add = (counts: Map<string, number>, labels: string) => counts.set(labels, (counts.get(labels) ?? 0) + 1)
  return {
    count(group, status, sentBytes) {
      add(requests, `group="${group}",status="${status}"`)
      sent += sentBytes
    },
    countWait: (outcome) => void add(waits, `outcome="${outcome}"`),
    render() {
      const lines = ['# TYPE nmp_hub_requests_total counter']
      for (const [labels, count] of requests) lines.push(`nmp_hub_requests_total{${labels}} ${count}`)
      lines.push('# TYPE nmp_hub_sent_bytes_total counter', `nmp_hub_sent_bytes_total ${sent}`)
      lines.push('# TYPE nmp_hub_version_waits_total counter')
      for (const [labels, count] of waits) lines.push(`nmp_hub_version_waits_total{${labels}} ${count}`)
      return `${lines.join('\n')}\n`
    },
  }
}
