import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { recordAudit } from '../audit/service.ts'
import { type Chain, listChains } from '../backups/chain.ts'
import { type BackupFolder, listNames, openBackupFolder } from '../backups/folder.ts'
import { ownServer, pruneBackup, takeBackup } from '../backups/keep.ts'
import { createBackupKey, readBackupKey } from '../backups/key-file.ts'
import { restoreFolder } from '../backups/restore.ts'
import { listSpans, renderSpan, renderTime } from '../backups/targets.ts'
import { verifyFolder } from '../backups/verify.ts'
import type { Config } from '../config.ts'
import { createLog } from '../log.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import { type AdminCommand, type OfflineCommand, type OptionValues, UsageError } from './command.ts'

const keyOption = { key: { type: 'string' } } as const
const shownFaults = 50
const minute = 60_000
const units: Record<string, number> = { m: minute, h: 60 * minute, d: 24 * 60 * minute }

export const makeBackupKey: OfflineCommand = {
  name: ['backup-key'],
  positionals: ['FILE'],
  options: {},
  optionUsage: [],
  about: 'Make a key that backups are encrypted with. Keep a copy of it elsewhere: without it they cannot be opened.',
  async runOffline(_config, [file = '']) {
    const { path, id } = await createBackupKey(file)
    return `${path} holds the key ${id}. Keep a copy of it away from this machine and from the backups: without it nobody opens them.`
  },
}

export const backupFolder: AdminCommand = {
  name: ['backup'],
  positionals: ['DIR'],
  isForFolder: true,
  options: keyOption,
  optionUsage: ['[--key KEYFILE]'],
  about:
    'Add the database of now, and the contents that are new, to a folder of encrypted backups; in the folder of NMP_BACKUP_DIR every minute from here on can be restored.',
  async run({ db, config, connection, isEmbedded }, [path = ''], options) {
    if (!isEmbedded) throw new Error(ownServer('Backups to a folder are'))
    const folder = await openFolder(path, config, options, true)
    const storage = await openStorage(describeStorage(config, '', ''))
    try {
      const isKept = config.NMP_BACKUP_DIR !== undefined && resolve(path) === config.NMP_BACKUP_DIR
      const taken = await takeBackup(connection, { storage, folder, dataDir: config.NMP_DATA_DIR, isKept })
      const { contents, until, baseBytes, addedBytes } = taken
      await recordAudit(db, 'operator', {
        action: 'backup.create',
        resource: { kind: 'database', id: 'database' },
        detail: { until: renderTime(until), contents: contents.addedCount, bytes: addedBytes + baseBytes },
      })
      if (contents.damaged.length > 0)
        throw new Error(
          `${folder.root} has everything as of ${renderTime(until)} but ${contents.damaged.length} contents that are damaged or gone here (${contents.damaged.slice(0, 3).join(', ')}). \`npm run -s admin -- check --deep\` says which imports need them.`,
        )
      return `${folder.root}: as of ${renderTime(until)}; the database ${baseBytes} bytes, ${contents.addedCount} new contents of ${contents.addedBytes} bytes`
    } finally {
      await storage.close()
    }
  },
}

export const listBackups: OfflineCommand = {
  name: ['backups'],
  positionals: ['DIR'],
  options: { ...keyOption, 'max-age': { type: 'string' } },
  optionUsage: ['[--key KEYFILE]', '[--max-age 15m]'],
  about:
    'List the times that a folder of backups can restore. With --max-age the exit code is 1 when the newest is older: for a monitor.',
  async runOffline(config, [path = ''], options) {
    const folder = await openFolder(path, config, options)
    const chains = await listChains(folder)
    const spans = listSpans(chains)
    const lines = []
    for (const span of spans) {
      const size = await sumSizes(folder, span.chain)
      lines.push(
        `${renderSpan(span)}  ${span.chain.bases.length} copies of the database and its log, ${size} bytes${span.gap ? `. ${span.gap.message}` : ''}`,
      )
    }
    const contents = await sumContents(folder)
    lines.push(`${contents.count} contents of ${contents.bytes} bytes. \`backup verify\` reads every byte.`)
    const newest = Math.max(0, ...spans.map(({ until }) => until))
    const maxAge = options['max-age']
    if (spans.length === 0) throw new Error(`${folder.root} holds no backup that is whole yet.`)
    if (typeof maxAge === 'string' && Date.now() - newest > readSpan('--max-age', maxAge))
      throw new Error(`${lines.join('\n')}\nThe newest is older than ${maxAge}: look at the log of the program.`)
    return lines.join('\n')
  },
}

export const verifyBackups: OfflineCommand = {
  name: ['backup', 'verify'],
  positionals: ['DIR'],
  options: keyOption,
  optionUsage: ['[--key KEYFILE]'],
  about:
    'Read every byte of a folder of backups and open it with the key. Exits with 1 if something is damaged or missing.',
  async runOffline(config, [path = ''], options) {
    const folder = await openFolder(path, config, options)
    const { faults, ...seen } = await verifyFolder(folder)
    const summary = `${seen.bases} copies of the database, ${seen.entries} files of log, ${seen.contents} contents: ${seen.bytes} bytes read`
    if (faults.length > 0)
      throw new Error([...faults.slice(0, shownFaults), `${summary}, ${faults.length} wrong`].join('\n'))
    return `${summary}, all good`
  },
}

export const pruneBackups: AdminCommand = {
  name: ['backup', 'prune'],
  positionals: ['DIR'],
  options: { ...keyOption, keep: { type: 'string' } },
  optionUsage: ['--keep 14d', '[--key KEYFILE]'],
  about:
    'Remove what only times before that need. The program does so by itself in the folder of NMP_BACKUP_DIR (NMP_BACKUP_KEEP_DAYS).',
  async run({ config, connection }, [path = ''], options) {
    if (typeof options.keep !== 'string')
      throw new UsageError('How far back shall it reach? Say --keep 14d or --keep 12h.')
    const keepFrom = Date.now() - readSpan('--keep', options.keep)
    const folder = await openFolder(path, config, options)
    const pruned = await pruneBackup(connection, folder, keepFrom)
    const from = pruned.from === undefined ? 'nothing can be restored' : `restorable from ${renderTime(pruned.from)} on`
    return `${folder.root}: ${pruned.bases} copies of the database and ${pruned.contents} contents removed, ${pruned.freedBytes} bytes freed; ${from}`
  },
}

export const restoreBackups: OfflineCommand = {
  name: ['restore'],
  positionals: ['DIR'],
  isForFolder: true,
  options: { ...keyOption, at: { type: 'string' }, partial: { type: 'boolean', default: false } },
  optionUsage: ['[--at 2026-11-17T04:30Z]', '[--key KEYFILE]', '[--partial]'],
  about:
    'Restore a folder of backups into a new data folder (NMP_DATA_DIR): everything as of that time, or as of the last one there is.',
  async runOffline(config, [path = ''], options) {
    if (config.NMP_DATABASE_URL !== undefined) throw new Error(ownServer('A folder of backups is restored'))
    const at = typeof options.at === 'string' ? readTime(options.at) : undefined
    const folder = await openFolder(path, config, options)
    const log = createLog(config.NMP_LOG_LEVEL === 'warn' ? 'error' : config.NMP_LOG_LEVEL)
    const restored = await restoreFolder({ folder, config, log, at, isPartial: options.partial === true })
    const { count, bytes, kept, missing } = restored.contents
    const notes = [
      ...(kept > 0 ? [`${kept} were there already`] : []),
      ...(missing > 0
        ? [`${missing} are not in the backup: what needs them answers 502 until their bytes come in`]
        : []),
    ]
    return [
      `${config.NMP_DATA_DIR}: everything as of ${renderTime(restored.at)}; ${[`${count} contents of ${bytes} bytes`, ...notes].join(', ')}`,
      'Bring secret.key of the old data folder (or NMP_SECRET_KEY), then start the program on it.',
    ].join('\n')
  },
}

async function openFolder(path: string, config: Config, { key }: OptionValues, begin = false): Promise<BackupFolder> {
  return openBackupFolder(
    resolve(path),
    await readBackupKey(typeof key === 'string' ? key : config.NMP_BACKUP_KEY_FILE),
    begin,
  )
}

function readTime(words: string): number {
  const time = Date.parse(words)
  if (Number.isNaN(time) || !/\dT\d.*(Z|[+-]\d\d:?\d\d)$/.test(words))
    throw new UsageError(
      `--at ${words} is no time with its zone. Write it as 2026-11-17T04:30Z or 2026-11-17T05:30+01:00.`,
    )
  return time
}

function readSpan(option: string, words: string): number {
  const [, number, unit = ''] = /^(\d{1,5})([mhd])$/.exec(words) ?? []
  const size = units[unit]
  if (number === undefined || size === undefined)
    throw new UsageError(`${option} ${words} is no span. Write 30m, 12h or 14d.`)
  return Number(number) * size
}

async function sumSizes(folder: BackupFolder, { path, bases, entries }: Chain): Promise<number> {
  let bytes = 0
  for (const { name } of [...bases, ...entries]) bytes += (await stat(join(folder.root, path, name))).size
  return bytes
}

async function sumContents(folder: BackupFolder): Promise<{ count: number; bytes: number }> {
  const sum = { count: 0, bytes: 0 }
  for (const shard of await listNames(folder, 'blobs'))
    for (const name of await listNames(folder, `blobs/${shard}`)) {
      sum.count += 1
      sum.bytes += (await stat(join(folder.root, 'blobs', shard, name))).size
    }
  return sum
}
