import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { docker } from '../../../../../e2e/container.ts'
import { findPort } from '../../../../../e2e/free-port.ts'
import { type CommandResult, checkout, makeFolder } from '../../../../../e2e/program.ts'
import { type DatabasePlace, type Machines, type Member, nextMigration, type Part } from '../machines.ts'
import { createLink, openNetwork } from './container-network.ts'
import { createContainerPart, removeContainer } from './container-part.ts'
import { type ContainerPostgres, createContainerPostgres, newPassword } from './container-postgres.ts'

const port = 8080
const locked = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
const smallDiskBytes = 3_000_000

const read = (path: string): string => readFileSync(join(checkout, path), 'utf8')

/** The first group of a pattern that a shipped file has. */
const find = (path: string, pattern: RegExp): string => {
  const found = pattern.exec(read(path))?.[1]
  if (!found) throw new Error(`${path} has nothing like ${pattern}.`)
  return found
}

/** The images and the words that the shipped files have, so that those are what is tried. */
const shipped = () => ({
  postgres: find('deploy/compose.yml', /image: (postgres:\S+)/),
  objects: find('deploy/compose.yml', /image: (versity\S+)/),
  objectsScript: find('deploy/compose.yml', /entrypoint: \['sh', '-c', '([^']+)'\]/),
  proxy: find('deploy/haproxy.cfg', /(haproxy:\S+)/),
})

export interface ContainerMachines extends Machines {
  /** By its network, to whomever. */
  countSentBytes(member: Member): Promise<number>
}

/**
 * Everything is a container on a bridge network of its own, with the user, the rights and the read-only root that deploy/ gives it. What
 * two of them send each other vanishes by iptables in the network of one, so this needs root on the machine of the engine.
 */
export async function openContainers(image: string): Promise<ContainerMachines> {
  const folder = await makeFolder()
  const network = await openNetwork()
  const images = shipped()
  const password = newPassword()
  const proxyPort = await findPort()
  const objectsAddress = network.takeAddress()
  const parts = new Map<string, Part>()
  const servers: ContainerPostgres[] = []
  const places: Partial<Record<DatabasePlace, ContainerPostgres>> = {}
  const volumes: string[] = []
  let program = image

  const nameOf = (title: string) => `${network.name}-${title.replace(' ', '-')}`
  const logOf = (title: string) => join(folder, `${title}.log`)
  const addressAt = (place: DatabasePlace) => `postgres://nmp:${password}@${place}:5432/nmp`
  const attach = (address: string, alias: string) => [
    '--network',
    network.name,
    '--ip',
    address,
    '--network-alias',
    alias,
  ]
  const listVariables = (variables: Record<string, string>) =>
    Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const addresses = { NMP_DATABASE_URL: addressAt('database'), NMP_S3_ENDPOINT: 'http://objects:7070' }

  return {
    url: `http://127.0.0.1:${proxyPort}`,
    folder,
    async createPostgres(of) {
      const number = servers.length
      const server = createContainerPostgres({
        network,
        image: images.postgres,
        number,
        password,
        log: logOf(`postgres ${number}`),
        ...(of ? { of } : {}),
      })
      servers.push(server)
      volumes.push(server.volume)
      parts.set(server.container, server.part)
      return server
    },
    async lead(place, to) {
      const server = servers.find(({ url }) => url === to.url)
      if (!server) throw new Error(`${to.url} is no server of this fleet.`)
      for (const other of servers) other.names.clear()
      if (places.replica === server) delete places.replica
      places[place] = server
      for (const [name, { names }] of Object.entries(places)) names.add(name)
      const state = await docker('ps', '--quiet', '--filter', `name=^${server.container}$`)
      if (state) await network.rename(server.container, server.address, [...server.names])
    },
    async createObjects(secret) {
      const name = nameOf('objects')
      volumes.push(name)
      const part = createContainerPart({
        title: 'objects',
        name,
        log: logOf('objects'),
        describe: () => [
          ...attach(objectsAddress, 'objects'),
          ...listVariables({ ROOT_ACCESS_KEY: 'nmp', ROOT_SECRET_KEY: secret }),
          ...['--volume', `${name}:/objects`, '--entrypoint', 'sh', images.objects, '-c', images.objectsScript],
        ],
        isReady: async () => (await fetch(`http://${objectsAddress}:7070/`)).status > 0,
      })
      parts.set(name, part)
      return { ...part, url: `http://${objectsAddress}:7070` }
    },
    async createMember(role, title, settings) {
      const name = nameOf(title)
      const address = network.takeAddress()
      const url = `http://${address}:${port}`
      const env: Record<string, string> = { ...settings, ...addresses, NMP_ROLE: role }
      if (role === 'api') env.NMP_DATABASE_REPLICA_URL = addressAt('replica')
      let disk: string[] = []
      const part = createContainerPart({
        title,
        name,
        log: logOf(title),
        describe: () => [
          ...attach(address, title.replace(' ', '')),
          ...locked,
          ...listVariables(env),
          ...disk,
          program,
        ],
        isReady: async () => (await fetch(`${url}/healthz`)).ok,
      })
      parts.set(name, part)
      const startOnFullDisk: Member['startOnFullDisk'] = async () => {
        disk = ['--tmpfs', `/data:size=${smallDiskBytes},mode=700,uid=1000,gid=1000`]
        disk.push(...listVariables({ NMP_DISK_RESERVE_BYTES: '0', TMPDIR: '/data' }))
        await part.start()
        const fill =
          'free=$(df --output=avail --block-size=1K /data | tail -n 1); dd if=/dev/zero of=/data/filler bs=1K count=$((free - 64))'
        await docker('exec', name, 'sh', '-c', fill)
        return async () => {
          disk = []
          await part.stop()
        }
      }
      const findDatabase = (): string => places.database?.address ?? ''
      const [toDatabase, toObjects] = [createLink(name, findDatabase), createLink(name, () => objectsAddress)]
      return { ...part, url, toDatabase, toObjects, startOnFullDisk }
    },
    async createProxy([one, other]) {
      const name = nameOf('proxy')
      const address = network.takeAddress()
      const apis = { NMP_API_1: new URL(one?.url ?? '').host, NMP_API_2: new URL(other?.url ?? '').host }
      const part = createContainerPart({
        title: 'proxy',
        name,
        log: logOf('proxy'),
        describe: () => [
          ...attach(address, 'proxy'),
          ...listVariables({ NMP_LISTEN: `:${port}`, ...apis }),
          ...['--publish', `127.0.0.1:${proxyPort}:${port}`],
          ...[
            '--volume',
            `${join(checkout, 'deploy/haproxy.cfg')}:/usr/local/etc/haproxy/haproxy.cfg:ro`,
            images.proxy,
          ],
        ],
        isReady: async () => (await fetch(`http://127.0.0.1:${proxyPort}/healthz`)).ok,
      })
      parts.set(name, part)
      return part
    },
    async runAdmin(settings, words): Promise<CommandResult> {
      const env = listVariables({ ...settings, ...addresses })
      const command = ['node', 'server/src/admin/main.ts', ...words]
      return docker('run', '--rm', '--network', network.name, ...locked, ...env, program, ...command).then(
        (stdout) => ({ code: 0, stdout, stderr: '' }),
        ({ code, stdout, stderr }: CommandResult) => ({ code, stdout, stderr }),
      )
    },
    async upgrade() {
      const next = await makeFolder()
      const last = (await readdir(join(checkout, 'server', 'migrations'))).sort().at(-1) ?? ''
      const migration = `${String(Number(last.slice(0, 4)) + 1).padStart(4, '0')}_next_release.sql`
      await writeFile(join(next, migration), nextMigration)
      await writeFile(join(next, 'Dockerfile'), `FROM ${image}\nCOPY ${migration} server/migrations/\n`)
      program = `${image}-next`
      await docker('build', '--quiet', '--tag', program, next)
    },
    countSentBytes: async ({ name }) =>
      Number(await docker('exec', nameOf(name), 'cat', '/sys/class/net/eth0/statistics/tx_bytes')),
    async close() {
      for (const [name, part] of parts) await removeContainer(name, logOf(part.name))
      for (const volume of volumes) await docker('volume', 'rm', '--force', volume)
      await network.close()
      if (program !== image) await docker('rmi', program)
    },
  }
}
