import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { docker } from '../../../../../e2e/container.ts'
import type { Link } from '../machines.ts'

const execute = promisify(execFile)

/** A bridge network in which everybody has an address for good, so that it can be cut between two of them. */
export interface ContainerNetwork {
  name: string
  /** The next address that nobody has. */
  takeAddress(): string
  /** From now on a running container is found by these names, at the address that it has. */
  rename(container: string, address: string, names: readonly string[]): Promise<void>
  close(): Promise<void>
}

export async function openNetwork(): Promise<ContainerNetwork> {
  const name = `nmp-servers-${randomBytes(4).toString('hex')}`
  const prefix = await createNetwork(name)
  let last = 9
  return {
    name,
    takeAddress: () => `${prefix}.${++last}`,
    async rename(container, address, names) {
      await docker('network', 'disconnect', name, container)
      const aliases = names.flatMap((alias) => ['--alias', alias])
      await docker('network', 'connect', '--ip', address, ...aliases, name, container)
    },
    close: async () => void (await docker('network', 'rm', name)),
  }
}

/** Where no other network of this machine is: Docker refuses those that overlap. */
async function createNetwork(name: string): Promise<string> {
  let refusal: unknown
  for (const third of randomBytes(8)) {
    const prefix = `10.201.${third}`
    try {
      await docker('network', 'create', '--subnet', `${prefix}.0/24`, name)
      return prefix
    } catch (error) {
      refusal = error
    }
  }
  throw refusal
}

/** Packets between a container and an address vanish, by rules in the container's own network: it, and who starts it anew, has none. */
export function createLink(container: string, findAddress: () => string): Link {
  const change = async (verb: '--insert' | '--delete', address: string): Promise<void> => {
    const process = await docker('inspect', '--format', '{{.State.Pid}}', container)
    const inside = ['--target', process, '--net', 'iptables', '--wait']
    await execute('nsenter', [...inside, verb, 'INPUT', '--source', address, '--jump', 'DROP'])
    await execute('nsenter', [...inside, verb, 'OUTPUT', '--destination', address, '--jump', 'DROP'])
  }
  let cutFrom = ''
  return {
    async cut() {
      cutFrom = findAddress()
      await change('--insert', cutFrom)
    },
    mend: () => change('--delete', cutFrom),
  }
}
