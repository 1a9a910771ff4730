import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostileGround } from './ground.ts'
import type { Family, Verdict } from './verdict.ts'

const slowCount = 2000
const idleCount = 10_000
const tries = 100
/** For others while all of them are open, in 99 of 100 tries. */
const barMs = 250

export const connections: Family = {
  name: 'connections',
  title: 'slow and idle connections',
  bar: 'all are held or closed; `/readyz` of others within 250 ms in 99 of 100 tries meanwhile',
  run: async function* (ground) {
    yield* hold(ground, 'slow connections, a byte each second', Math.ceil(slowCount * ground.scale), sendSlowly)
    yield* hold(ground, 'idle connections', Math.ceil(idleCount * ground.scale), () => {})
  },
}

/** A request that never ends: a header more, byte by byte. */
function sendSlowly(socket: Socket): void {
  socket.write('GET /api/v1/version HTTP/1.1\r\nhost: x\r\nx-slow: ')
  const timer = setInterval(() => socket.write('a'), 1000)
  socket.once('close', () => clearInterval(timer))
}

async function* hold(
  { program }: HostileGround,
  name: string,
  wanted: number,
  begin: (socket: Socket) => void,
): AsyncGenerator<Verdict> {
  const { hostname, port } = new URL(program.url)
  const sockets = new Set<Socket>()
  let reached = 0
  let refused = ''
  for (let index = 0; index < wanted && refused === ''; index++) {
    const socket = connect({ port: Number(port), host: hostname })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      refused ||= error.code === 'EMFILE' || error.code === 'EADDRNOTAVAIL' ? error.code : ''
    })
    socket.once('connect', () => {
      reached += 1
      begin(socket)
    })
    socket.once('close', () => sockets.delete(socket))
    sockets.add(socket)
    if (index % 200 === 199) await sleep(100)
  }
  await sleep(2000)
  const times: number[] = []
  for (let index = 0; index < tries; index++) {
    const start = performance.now()
    const isReady = await program.call('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
    times.push(isReady ? performance.now() - start : Number.POSITIVE_INFINITY)
    await sleep(50)
  }
  const open = sockets.size
  for (const socket of sockets) socket.destroy()
  times.sort((a, b) => a - b)
  const nearlyAll = times[Math.ceil(tries * 0.99) - 1] ?? Number.POSITIVE_INFINITY
  yield {
    name: `${wanted} ${name}`,
    held: reached === wanted && nearlyAll <= barMs,
    words: `${reached} connected, ${open} open at the end, /readyz ${Math.round(nearlyAll)} ms${refused && ` (${refused})`}`,
  }
  await sleep(1000)
}
