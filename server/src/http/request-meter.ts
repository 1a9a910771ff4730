import type { Metrics } from '../metrics.ts'

/** Requests by method, route and status, and their durations: what /metrics says about the HTTP door. */
export interface RequestMeter {
  count(method: string, route: string, status: number, seconds: number): void
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createRequestMeter(metrics: Metrics): RequestMeter {
  const requests = metrics.addCounter('nmp_http_requests_total')
  const durations = metrics.addHistogram('nmp_http_request_seconds', bounds)
  return {
    count(method, route, status, seconds) {
      requests.count({ method, route, status })
      durations.observe(seconds)
    },
  }
}
