import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FaultyProxy {
  url: string
  /** How often the line broke. */
  cuts(): number
  /** Bytes that went through, in both directions. */
  bytes(): number
  close(): void
}

interface Faults {
  /** A connection breaks after so many bytes, of both directions together. */
  cutAfterBytes: [number, number]
  /** Which share of the connections break at all. */
  share: number
  /** Every piece waits up to so long. */
  delayMs: number
  /** Once, the byte that many after the beginning arrives as another. */
  damageAtByte?: number
}

/** A bad line to the program: connections break anywhere, also inside an answer whose request was carried out. */
export async function startFaultyProxy(target: string, faults: Faults): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let cuts = 0
  let bytes = 0
  let seed = 7
  const random = (): number => {
    // A small generator of our own: a test that fails once fails again.
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
  }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const [least, most] = faults.cutAfterBytes
    let budget = random() < faults.share ? least + random() * (most - least) : Number.POSITIVE_INFINITY
    const end = (): void => {
      near.destroy()
      far.destroy()
    }
    const pass = (from: Socket, to: Socket): void => {
      let waiting = Promise.resolve()
      open.add(from)
      from.on('error', end)
      from.on('close', () => {
        open.delete(from)
        void waiting.then(() => to.end())
      })
      from.on('data', (piece) => {
        const at = (faults.damageAtByte ?? Number.POSITIVE_INFINITY) - bytes
        if (at >= 0 && at < piece.length) piece[at] = (piece[at] ?? 0) ^ 0xff
        budget -= piece.length
        bytes += piece.length
        if (budget < 0) {
          cuts++
          // What fits still goes through, so that answers and bodies are cut in the middle.
          to.write(piece.subarray(0, Math.max(0, piece.length + budget)), end)
          from.pause()
          return
        }
        from.pause()
        waiting = sleep(random() * faults.delayMs).then(() => {
          to.write(piece, () => from.resume())
        })
      })
    }
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    cuts: () => cuts,
    bytes: () => bytes,
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
