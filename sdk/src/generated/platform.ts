// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { ConsoleConfig, PlatformStatus, StatusDetails, Version } from './records.ts'

export type GetVersionAnswer = {
  item: Version
}

export type GetConsoleConfigAnswer = {
  item: ConsoleConfig
}

export type GetHealthAnswer = {
  status: 'ok'
}

export interface GetReadinessInput {
  for?: 'writes' | undefined
}

export type GetReadinessAnswer = {
  status: 'ready' | 'read_only' | 'not_ready'
  checks: Record<string, string>
}

export type GetMetricsAnswer = Response

export type GetStatusAnswer = {
  item: PlatformStatus
}

export type GetStatusDetailsAnswer = {
  item: StatusDetails
}

export interface PlatformOperations {
  /**
   * Get the version of the program.
   *
   * Name, version, channel and commit of the running program. Needs no credential.
   *
   * `GET /api/v1/version` · no credential needed
   */
  getVersion(input?: Record<string, never>, options?: CallOptions): Promise<GetVersionAnswer>
  /**
   * Get what a browser needs to sign in.
   *
   * The OpenID Connect issuer, client and audience that the console signs in with. Needs no credential.
   *
   * `GET /api/v1/console-config` · no credential needed
   */
  getConsoleConfig(input?: Record<string, never>, options?: CallOptions): Promise<GetConsoleConfigAnswer>
  /**
   * Check that the process is alive.
   *
   * For liveness probes: answers as long as the process runs.
   *
   * `GET /healthz` · no credential needed
   */
  getHealth(input?: Record<string, never>, options?: CallOptions): Promise<GetHealthAnswer>
  /**
   * Check that the database and the object storage answer.
   *
   * For readiness probes: 503 names the part that does not answer. Where the disk is full the status is `read_only`: 200, since reading goes on, and 503 for who asks `?for=writes`.
   *
   * `GET /readyz` · no credential needed
   */
  getReadiness(input?: GetReadinessInput, options?: CallOptions): Promise<GetReadinessAnswer>
  /**
   * Counters for Prometheus.
   *
   * Counters and gauges in the Prometheus text format. Those of a worker that runs beside the API have the label `process`.
   *
   * `GET /metrics` · no credential needed
   */
  getMetrics(input?: Record<string, never>, options?: CallOptions): Promise<GetMetricsAnswer>
  /**
   * Get how it stands with the platform.
   *
   * Whether workers run, what waits for them, and what the background check of stored contents has found: counts and times, no names. Needs no credential.
   *
   * `GET /api/v1/status` · no credential needed
   */
  getStatus(input?: Record<string, never>, options?: CallOptions): Promise<GetStatusAnswer>
  /**
   * Get what an operator needs to know.
   *
   * Workers by name, the database, the disk, and every damaged content with what needs it. For the first account, `admin@localhost`, alone.
   *
   * `GET /api/v1/status/details` · session only
   */
  getStatusDetails(input?: Record<string, never>, options?: CallOptions): Promise<GetStatusDetailsAnswer>
}

export const platformOperations: OperationTable = {
  getVersion: { method: 'GET', path: '/api/v1/version', repeatable: true },
  getConsoleConfig: { method: 'GET', path: '/api/v1/console-config', repeatable: true },
  getHealth: { method: 'GET', path: '/healthz', repeatable: true },
  getReadiness: { method: 'GET', path: '/readyz', query: ['for'], repeatable: true },
  getMetrics: { method: 'GET', path: '/metrics', answersBytes: true, repeatable: true },
  getStatus: { method: 'GET', path: '/api/v1/status', repeatable: true },
  getStatusDetails: { method: 'GET', path: '/api/v1/status/details', repeatable: true },
}
