import { randomBytes } from 'node:crypto'
import { docker } from '../../../../../e2e/container.ts'
import type { Part, PostgresServer } from '../machines.ts'
import { query, waitUntilItAnswers } from '../postgres-query.ts'
import type { ContainerNetwork } from './container-network.ts'
import { createContainerPart } from './container-part.ts'

export interface ContainerPostgres extends PostgresServer {
  part: Part
  container: string
  volume: string
  address: string
  /** What else it is called in the network, at its next start. */
  names: Set<string>
}

interface PostgresOptions {
  network: ContainerNetwork
  image: string
  number: number
  password: string
  log: string
  of?: PostgresServer
}

const settings = ['max_connections=200', 'wal_level=replica', 'hot_standby=on', 'listen_addresses=*']
const settingWords = settings.flatMap((setting) => ['-c', setting])

/** Copies the server that it follows at its first start; a replica is nothing that the image knows by itself. */
const followScript = `set -eu
data=/var/lib/postgresql/replica
mkdir -p "$data" && chown postgres:postgres "$data" && chmod 700 "$data"
as_user() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }
[ -s "$data/PG_VERSION" ] || as_user pg_basebackup -D "$data" -d "$FOLLOWED" -X stream -R -c fast
exec setpriv --reuid postgres --regid postgres --init-groups postgres -D "$data" "$@"`

/** A server by the image of deploy/compose.yml; with `of` a streaming replica of that one. */
export function createContainerPostgres({
  network,
  image,
  number,
  password,
  log,
  of,
}: PostgresOptions): ContainerPostgres {
  const container = `${network.name}-postgres-${number}`
  const address = network.takeAddress()
  const names = new Set<string>()
  const urlAt = (host: string) => `postgres://nmp:${password}@${host}:5432/nmp`
  const part = createContainerPart({
    title: `PostgreSQL ${number}`,
    name: container,
    log,
    describe: () => [
      ...['--network', network.name, '--ip', address, ...[...names].flatMap((name) => ['--network-alias', name])],
      ...['--volume', `${container}:/var/lib/postgresql`, '--shm-size', '256m'],
      ...(of
        ? ['--user', 'root', '--env', `FOLLOWED=${of.url}`, '--entrypoint', 'sh', image, '-c', followScript, 'postgres']
        : [
            '--env',
            'POSTGRES_USER=nmp',
            '--env',
            'POSTGRES_DB=nmp',
            '--env',
            `POSTGRES_PASSWORD=${password}`,
            image,
            'postgres',
          ]),
      ...settingWords,
    ],
    // The server of the first initialization takes no connections from outside.
    isReady: () => waitUntilItAnswers(urlAt(address)).then(() => true),
  })
  return {
    part,
    container,
    volume: container,
    address,
    names,
    url: urlAt(container),
    query: (text) => query(urlAt(address), text),
    kill: part.kill,
    async start() {
      await part.start()
      if (!of) await allowReplication(container, urlAt(address))
    },
  }
}

async function allowReplication(container: string, url: string): Promise<void> {
  const { rows } = await query(url, 'show hba_file')
  const line = 'host replication all all scram-sha-256'
  const file = String(rows[0]?.hba_file)
  await docker('exec', container, 'sh', '-c', `grep -qx '${line}' '${file}' || echo '${line}' >>'${file}'`)
  await query(url, 'select pg_reload_conf()')
}

export const newPassword = (): string => randomBytes(16).toString('hex')
