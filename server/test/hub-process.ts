import { once } from 'node:events'
import { startHubServer } from './hub-server.ts'

/** `hub-process.ts FOLDER [TAG…]`: serves a folder as the repository lab/set until it is told to stop. */
const terminated = once(process, 'SIGTERM')
const [folder = '', ...tags] = process.argv.slice(2)
const hub = await startHubServer(folder, { tags, pageSize: 5 })
process.stdout.write(`${JSON.stringify({ url: hub.url, commit: hub.commit })}\n`)
await terminated
await hub.close()
