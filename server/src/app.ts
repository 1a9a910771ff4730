import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { programVersion } from './config.ts'
import type { Context } from './context.ts'
import { mountListener } from './http/mount.ts'
import { createObjectListener } from './http/object-listener.ts'
import { mountPages } from './http/pages/pages.ts'
import { createRequestMeter } from './http/request-meter.ts'
import { createHttpListener, type ResponseCheck } from './http/server.ts'
import { createHubListener, hubPath } from './hub/listener.ts'
import { createAuthenticator } from './identity/authenticate.ts'
import { createIdentityListener, identityPrefixes } from './identity/listener.ts'
import { type ContextOptions, closeContext, openContext } from './open-context.ts'
import { authorize } from './organizations/service.ts'
import { addPlatformMetrics } from './platform/platform-meter.ts'
import { addProcessMetrics } from './platform/process-meter.ts'
import { platformRoutes } from './platform/routes.ts'
import { createRequestThread } from './request-thread.ts'
import { routes } from './routes.ts'
import { checkPublicEndpoint } from './storage/s3/public-endpoint.ts'
import { signedObjectPath } from './storage/serving/signed-url.ts'
import { createUploadListener, uploadsPath } from './uploads/listener.ts'

interface AppOptions extends Omit<ContextOptions, 'answersClients'> {
  /** Checks every answer against its schema; tests give one. */
  checkResponse?: ResponseCheck
}

export interface App {
  context: Context
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** Puts the parts together: the only place where every noun meets. Tests make the same program on a database of their own. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, db, connection, publicUrl, checkResponse } = options
  const isWorker = config.NMP_ROLE === 'worker'
  const context = await openContext({ ...options, answersClients: !isWorker })
  const { storage, metrics, log } = context
  const meter = createRequestMeter(metrics)
  addProcessMetrics(metrics)
  addPlatformMetrics(metrics, context)
  const { NMP_S3_BUCKET: bucket, NMP_S3_PUBLIC_ENDPOINT: endpoint } = config
  if (bucket && endpoint && !isWorker) await checkPublicEndpoint(storage, { endpoint, publicUrl, log })
  const identity = isWorker ? undefined : await createIdentityListener(context)
  const serves = isWorker ? platformRoutes : routes
  const credentials = createAuthenticator({ db, secrets: context.secrets, publicUrl, config })
  const thread = connection && !isWorker ? createRequestThread({ context, connection }) : undefined
  const http = await createHttpListener({
    context,
    routes: serves,
    meter,
    ...credentials,
    authorize: (principal, rule, params) => authorize(db, principal, rule, params),
    checkResponse,
    answerBeside: thread?.answer,
    mounts: [
      mountPages({ routes: serves, version: programVersion, channel: config.NMP_CHANNEL, consoleFolder }),
      ...(identity ? [mountListener(identityPrefixes, identity.handle)] : []),
      ...(isWorker ? [] : [mountListener([uploadsPath], createUploadListener({ context, ...credentials }))]),
      ...(isWorker ? [] : [mountListener([hubPath], createHubListener({ context, ...credentials }))]),
      mountListener([signedObjectPath.slice(0, -1)], createObjectListener(storage, log)),
    ],
  })
  return {
    context,
    handle: http.handle,
    async close() {
      await http.close()
      await thread?.close()
      await identity?.close()
      await closeContext(context)
    },
  }
}

const consoleFolder = join(import.meta.dirname, '..', '..', 'web', 'dist')
