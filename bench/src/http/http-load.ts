import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'

/** What to ask, how often, and for how long at most. */
export interface LoadOrder {
  port: number
  path: string
  requests: number
  seconds: number
  /** Asked as this person. */
  bearer?: string
}

export interface LoadResult {
  answered: number
  seconds: number
}

/**
 * The load of the HTTP bench, in a process of its own: it takes orders as messages. Sixteen kept connections ask one thing after
 * another until the count or the time is reached; answers are counted by their content-length, so the client costs little.
 */
const connections = 16

const load = async ({ port, path, requests, seconds, bearer }: LoadOrder): Promise<LoadResult> => {
  const credential = bearer === undefined ? '' : `authorization: Bearer ${bearer}\r\n`
  const ask = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}\r\n`
  const start = performance.now()
  const until = start + seconds * 1000
  let asked = 0
  let answered = 0

  const openConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let head = ''
      let bytesLeft = 0
      const askNext = () => {
        if (asked >= requests || performance.now() > until) return socket.end()
        asked++
        socket.write(ask)
      }
      const finish = () => {
        if (bytesLeft > 0) return
        answered++
        askNext()
      }
      const readHead = (chunk: Buffer) => {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
        if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
          socket.destroy(new Error(`The server answered ${head.slice(0, 200)}`))
          return
        }
        bytesLeft = Number(length) - (head.length - end - 4)
        head = ''
        finish()
      }
      socket.setNoDelay(true)
      socket.on('connect', askNext)
      socket.on('data', (chunk) => {
        if (bytesLeft <= 0) return readHead(chunk)
        bytesLeft -= chunk.length
        finish()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })

  await Promise.all(Array.from({ length: connections }, openConnection))
  return { answered, seconds: (performance.now() - start) / 1000 }
}

process.on('message', async (order: LoadOrder) => process.send?.(await load(order)))
process.on('disconnect', () => process.exit(0))
