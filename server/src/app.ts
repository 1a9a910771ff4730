import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Config, programVersion } from './config.ts'
import { checkImportsOf } from './consistency/service.ts'
import type { Context } from './context.ts'
import type { Connection, Database } from './db/database.ts'
import { mountListener } from './http/mount.ts'
import { createObjectListener } from './http/object-listener.ts'
import { mountPages } from './http/pages.ts'
import { createRequestMeter } from './http/request-meter.ts'
import { createHttpListener, type ResponseCheck } from './http/server.ts'
import { createHubListener, hubPath } from './hub/listener.ts'
import { createAuthenticator } from './identity/authenticate.ts'
import { createIdentityListener, identityPrefixes } from './identity/listener.ts'
import { sealPayloads } from './identity/provider/payloads.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createMail } from './notifications/mail.ts'
import { authorize } from './organizations/service.ts'
import { findCommit } from './platform/commit.ts'
import { addProcessMetrics } from './platform/process-meter.ts'
import { platformRoutes } from './platform/routes.ts'
import { routes } from './routes.ts'
import { openSecrets } from './secrets/secrets.ts'
import { getSharedSecret, sealSettings } from './secrets/settings.ts'
import { describeStorage } from './storage/describe-storage.ts'
import { guardStorage } from './storage/guarded.ts'
import { openStorage } from './storage/open-storage.ts'
import { signedObjectPath } from './storage/signed-url.ts'
import type { GuardedStorage } from './storage/storage.ts'
import { ensureStoreId } from './storage/store-id.ts'
import { createUploadListener, uploadsPath } from './uploads/listener.ts'
import { readableVersions } from './versions/reading/service.ts'

interface AppOptions {
  config: Config
  log: Log
  db: Database
  /** Where the database is, for live events. */
  connection?: Connection | undefined
  publicUrl: string
  /** Checks every answer against its schema; tests give one. */
  checkResponse?: ResponseCheck
}

export interface App {
  context: Context
  handle(request: IncomingMessage, response: ServerResponse): void
  close(): Promise<void>
}

/** Puts the parts together: the only place where every noun meets. Tests make the same program on a database of their own. */
export async function createApp({ config, log, db, connection, publicUrl, checkResponse }: AppOptions): Promise<App> {
  const secrets = await openSecrets(db, config)
  await sealSettings(db, secrets)
  await sealPayloads(db, secrets)
  const objectUrlKey = await getSharedSecret(db, secrets, 'object_url_key')
  const metrics = createMetrics()
  const bare = await openStorage(describeStorage(config, publicUrl, objectUrlKey))
  await ensureStoreId(db, bare)
  const damage = metrics.addCounter('nmp_damaged_contents_total')
  const storage: GuardedStorage = guardStorage(bare, {
    db,
    log,
    count: (event, fault) => damage.count({ event, fault }),
    onHealed: (sha256) => checkImportsOf({ db, storage, log }, [sha256]),
  })
  const meter = createRequestMeter(metrics)
  addProcessMetrics(metrics)
  const context: Context = {
    config,
    publicUrl,
    commit: config.NMP_COMMIT ?? (await findCommit()),
    db,
    connection,
    log,
    storage,
    secrets,
    mediaUrlKey: await getSharedSecret(db, secrets, 'media_url_key'),
    sendMail: createMail({
      smtpUrl: config.NMP_SMTP_URL,
      from: config.NMP_MAIL_FROM,
      folder: join(config.NMP_DATA_DIR, 'mail'),
    }),
    readables: [readableVersions],
    metrics,
    closers: [],
  }
  const isWorker = config.NMP_ROLE === 'worker'
  const identity = isWorker ? undefined : await createIdentityListener(context)
  const serves = isWorker ? platformRoutes : routes
  const authenticate = createAuthenticator({ db, secrets, publicUrl, config })
  const http = await createHttpListener({
    context,
    routes: serves,
    meter,
    authenticate,
    authorize: (principal, rule, params) => authorize(db, principal, rule, params),
    checkResponse,
    mounts: [
      mountPages({ routes: serves, version: programVersion, channel: config.NMP_CHANNEL, consoleFolder }),
      ...(identity ? [mountListener(identityPrefixes, identity.handle)] : []),
      ...(isWorker ? [] : [mountListener([uploadsPath], createUploadListener({ context, authenticate }))]),
      ...(isWorker ? [] : [mountListener([hubPath], createHubListener({ context, authenticate }))]),
      mountListener([signedObjectPath.slice(0, -1)], createObjectListener(storage, log)),
    ],
  })
  return {
    context,
    handle: http.handle,
    async close() {
      await http.close()
      for (const close of context.closers.reverse()) await close()
      await identity?.close()
      await storage.close()
    },
  }
}

const consoleFolder = join(import.meta.dirname, '..', '..', 'web', 'dist')
