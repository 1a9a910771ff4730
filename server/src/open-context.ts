import { join } from 'node:path'
import type { Config } from './config.ts'
import { checkImportsOf } from './consistency/service.ts'
import type { Context } from './context.ts'
import type { Connection, Database } from './db/database.ts'
import { noPeers, openPeers } from './db/peers.ts'
import { openReplica, withoutReplica } from './db/replica.ts'
import { createHeldBodies } from './http/bodies/held-bodies.ts'
import { sealPayloads } from './identity/provider/payloads.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { createMail } from './notifications/mail.ts'
import { findCommit } from './platform/commit.ts'
import { openSecrets } from './secrets/secrets.ts'
import { getSharedSecret, sealSettings } from './secrets/settings.ts'
import { guardStorage } from './storage/care/guarded.ts'
import { describeStorage } from './storage/describe-storage.ts'
import { createDiskReserve, withReserve } from './storage/disk-reserve.ts'
import { openStorage } from './storage/open-storage.ts'
import type { GuardedStorage } from './storage/storage.ts'
import { ensureStoreId } from './storage/store-id.ts'
import { readableVersions } from './versions/reading/service.ts'

export interface ContextOptions {
  config: Config
  log: Log
  db: Database
  /** Where the database is, for live events. */
  connection?: Connection | undefined
  publicUrl: string
  /** It answers clients, and shares their limits with the other APIs. */
  answersClients?: boolean
}

/** What every part works with; closed with `closeContext`. */
export async function openContext({
  config,
  log,
  db,
  connection,
  publicUrl,
  answersClients,
}: ContextOptions): Promise<Context> {
  const secrets = await openSecrets(db, config)
  await sealSettings(db, secrets)
  await sealPayloads(db, secrets)
  const objectUrlKey = await getSharedSecret(db, secrets, 'object_url_key')
  const metrics = createMetrics()
  const opened = await openStorage(describeStorage(config, publicUrl, objectUrlKey))
  const diskReserve = createDiskReserve(config.NMP_DATA_DIR, config.NMP_DISK_RESERVE_BYTES)
  const bare = opened.kind === 'folder' ? withReserve(opened, diskReserve) : opened
  await ensureStoreId(db, bare)
  const damage = metrics.addCounter('nmp_damaged_contents_total')
  const storage: GuardedStorage = guardStorage(bare, {
    db,
    log,
    count: (event, fault) => damage.count({ event, fault }),
    onHealed: (sha256) => checkImportsOf({ db, storage, log }, [sha256]),
  })
  const { NMP_DATABASE_REPLICA_URL: replicaUrl, NMP_ROLE: role } = config
  const replica =
    replicaUrl && role !== 'worker' ? openReplica({ url: replicaUrl, primary: db, log }) : withoutReplica(db)
  const peers = connection && answersClients ? openPeers({ db, connection, log }) : noPeers
  return {
    config,
    publicUrl,
    commit: config.NMP_COMMIT ?? (await findCommit()),
    db,
    replica,
    connection,
    peers,
    log,
    storage,
    diskReserve,
    incoming: createHeldBodies({
      folder: join(config.NMP_DATA_DIR, 'incoming'),
      budgetBytes: config.NMP_BODY_MEMORY_BYTES,
      noun: 'requests',
    }),
    outgoing: createHeldBodies({
      folder: join(config.NMP_DATA_DIR, 'outgoing'),
      budgetBytes: config.NMP_ANSWER_MEMORY_BYTES,
      noun: 'answers',
    }),
    secrets,
    mediaUrlKey: await getSharedSecret(db, secrets, 'media_url_key'),
    sendMail: createMail({
      smtpUrl: config.NMP_SMTP_URL,
      from: config.NMP_MAIL_FROM,
      folder: join(config.NMP_DATA_DIR, 'mail'),
    }),
    readables: [readableVersions],
    metrics,
    closers: [replica.close, peers.close],
  }
}

export async function closeContext({ closers, storage }: Context): Promise<void> {
  for (const close of closers.reverse()) await close()
  await storage.close()
}
