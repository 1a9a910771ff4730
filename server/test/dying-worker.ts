/** A worker for tests of who starts it again: it lives for as long as its first word says, and then ends by itself. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const [{ publicUrl }] = (await once(process, 'message')) as [{ publicUrl: string }]
const { lives } = JSON.parse(publicUrl) as { lives: number }
process.send?.({ kind: 'ready', name: `test:${process.pid}` })
await sleep(lives * 1000)
process.exit(3)
