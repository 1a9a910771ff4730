/** Requests by method, route and status, and their durations: what /metrics says about the HTTP door. */
export interface RequestMeter {
  count(method: string, route: string, status: number, seconds: number): void
  render(): string
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createRequestMeter(): RequestMeter {
  const totals = new Map<string, number>()
  const buckets = new Array<number>(bounds.length + 1).fill(0)
  let sumSeconds = 0
  return {
    count(method, route, status, seconds) {
      const labels = `method="${method}",route="${route}",status="${status}"`
      totals.set(labels, (totals.get(labels) ?? 0) + 1)
      const at = bounds.findIndex((bound) => seconds <= bound)
      const index = at === -1 ? bounds.length : at
      buckets[index] = (buckets[index] ?? 0) + 1
      sumSeconds += seconds
    },
    render() {
      const lines = ['# TYPE nmp_http_requests_total counter']
      for (const [labels, count] of totals) lines.push(`nmp_http_requests_total{${labels}} ${count}`)
      lines.push('# TYPE nmp_http_request_seconds histogram')
      let seen = 0
      for (const [index, count] of buckets.entries()) {
        seen += count
        lines.push(`nmp_http_request_seconds_bucket{le="${bounds[index] ?? '+Inf'}"} ${seen}`)
      }
      lines.push(`nmp_http_request_seconds_sum ${sumSeconds}`, `nmp_http_request_seconds_count ${seen}`)
      return `${lines.join('\n')}\n`
    },
  }
}
