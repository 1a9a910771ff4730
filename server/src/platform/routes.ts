import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { anyone } from '../access/access.ts'
import { programVersion } from '../config.ts'
import { defineRoute, Reply } from '../http/route.ts'
import { item, nullable, oneOf } from '../http/schemas.ts'
import { ownIssuer } from '../identity/sessions.ts'
import { canWrite, checkReadiness } from './readiness.ts'

/** The LeRobot dataset versions that come in; `v3.0` is also the one that comes out. */
const lerobotVersions = ['v2.0', 'v2.1', 'v3.0']

const version = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    api_version: Type.String(),
    channel: oneOf(['stable', 'dev']),
    commit: nullable(Type.String()),
    schema_version: Type.String({ description: 'Version of the manifests and job objects.' }),
    lerobot_versions: Type.Array(Type.String()),
  },
  { $id: 'Version' },
)

const consoleConfig = Type.Object(
  {
    issuer: Type.String({ description: 'Where the console signs in: an OpenID Connect issuer.' }),
    client_id: Type.String(),
    scopes: Type.Array(Type.String()),
    audience: Type.String({ description: 'The audience that a session token must have.' }),
    channel: oneOf(['stable', 'dev']),
    version: Type.String(),
  },
  { $id: 'ConsoleConfig' },
)

export const platformRoutes = [
  defineRoute({
    id: 'getVersion',
    method: 'GET',
    path: '/api/v1/version',
    tag: 'Platform',
    summary: 'Get the version of the program',
    description: 'Name, version, channel and commit of the running program. Needs no credential.',
    credentials: 'none',
    access: anyone,
    response: item(version),
    async handle({ config, commit }) {
      return {
        item: {
          name: 'nmp',
          version: programVersion,
          api_version: 'v1',
          channel: config.NMP_CHANNEL,
          commit,
          schema_version: '1.0.0',
          lerobot_versions: lerobotVersions,
        },
      }
    },
  }),
  defineRoute({
    id: 'getConsoleConfig',
    method: 'GET',
    path: '/api/v1/console-config',
    tag: 'Platform',
    summary: 'Get what a browser needs to sign in',
    description: 'The OpenID Connect issuer, client and audience that the console signs in with. Needs no credential.',
    credentials: 'none',
    access: anyone,
    response: item(consoleConfig),
    async handle({ config, publicUrl }) {
      return {
        item: {
          issuer: config.NMP_OIDC_ISSUER ?? ownIssuer(publicUrl),
          client_id: config.NMP_OIDC_CLIENT_ID,
          scopes: ['openid', 'offline_access', 'email', 'profile'],
          audience: config.NMP_OIDC_AUDIENCE,
          channel: config.NMP_CHANNEL,
          version: programVersion,
        },
      }
    },
  }),
  defineRoute({
    id: 'getHealth',
    method: 'GET',
    path: '/healthz',
    tag: 'Platform',
    summary: 'Check that the process is alive',
    description: 'For liveness probes: answers as long as the process runs.',
    credentials: 'none',
    access: anyone,
    response: Type.Object({ status: Type.Literal('ok') }),
    async handle() {
      return { status: 'ok' as const }
    },
  }),
  defineRoute({
    id: 'getReadiness',
    method: 'GET',
    path: '/readyz',
    tag: 'Platform',
    summary: 'Check that the database and the object storage answer',
    description:
      'For readiness probes: 503 names the part that does not answer. Where the disk is full the status is `read_only`: 200, since reading goes on, and 503 for who asks `?for=writes`.',
    credentials: 'none',
    access: anyone,
    query: Type.Object({ for: Type.Optional(oneOf(['writes'])) }),
    response: Type.Object({
      status: oneOf(['ready', 'read_only', 'not_ready']),
      checks: Type.Record(Type.String(), Type.String()),
    }),
    errors: ['not_ready'],
    async handle(context, { query }) {
      const checks = await checkReadiness(context)
      const answers = Object.values(checks).every((check) => check === 'ok')
      const writes = await canWrite(context)
      const status = answers ? (writes ? 'ready' : 'read_only') : 'not_ready'
      const isEnough = answers && (writes || query.for !== 'writes')
      return new Reply({ status, checks: { ...checks, disk: writes ? 'ok' : 'full' } } as const, {
        status: isEnough ? 200 : 503,
      })
    },
  }),
  defineRoute({
    id: 'getMetrics',
    method: 'GET',
    path: '/metrics',
    tag: 'Platform',
    summary: 'Counters for Prometheus',
    description:
      'Counters and gauges in the Prometheus text format. Those of a worker that runs beside the API have the label `process`.',
    credentials: 'none',
    access: anyone,
    response: 'bytes',
    async handle(context) {
      return new Reply(Readable.from([await context.metrics.render()]), {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      })
    },
  }),
]
