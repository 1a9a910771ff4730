import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Link } from '../machines.ts'

/** A line between two parts of the fleet, which looks like the network between two machines. */
export interface Line extends Link {
  port: number
  /** The same address leads to another place; who is connected is disconnected. */
  lead(port: number): void
  close(): void
}

export async function openLine(target: number): Promise<Line> {
  let place = target
  let isCut = false
  const pairs = new Set<[Socket, Socket]>()
  const hold = ([near, far]: [Socket, Socket]): void => {
    near.pause()
    far.pause()
  }
  const server = createServer({ pauseOnConnect: true }, (near) => {
    const far = connect(place, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true)
      from.on('error', () => {})
      // What ends on one side of a cut is not heard of on the other.
      from.once('close', () => {
        if (isCut) return
        pairs.delete(pair)
        to.destroy()
      })
      from.on('data', (piece) => {
        if (isCut) return
        if (!to.write(piece)) {
          from.pause()
          to.once('drain', () => !isCut && from.resume())
        }
      })
      from.on('end', () => !isCut && to.end())
    }
    if (isCut) hold(pair)
    else near.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const drop = (): void => {
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
    pairs.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    async cut() {
      isCut = true
      for (const pair of pairs) hold(pair)
    },
    async mend() {
      isCut = false
      for (const pair of pairs)
        for (const [one, other] of [pair, [pair[1], pair[0]] as const]) {
          if (one.destroyed) other.destroy()
          else one.resume()
        }
    },
    lead(port) {
      place = port
      drop()
    },
    close() {
      server.close()
      drop()
    },
  }
}
