import { once } from 'node:events'
import { pino } from 'pino'
import { openEmbeddedPostgres } from '../src/db/embedded.ts'

/** A program that uses the embedded PostgreSQL of a folder until it is told to stop, as the platform itself does. */
const terminated = once(process, 'SIGTERM')
const [folder = ''] = process.argv.slice(2)
const postgres = await openEmbeddedPostgres({ folder, log: pino({ level: 'warn' }, process.stderr) })
process.stdout.write(`${JSON.stringify({ connection: postgres.connection, pid: postgres.findPid() })}\n`)
const alive = setInterval(() => undefined, 1000)
await terminated
await postgres.stop()
clearInterval(alive)
