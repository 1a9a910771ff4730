// The process that the contract test kills: it writes an object that never ends and says when more than one part is under way.
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from './open-storage.ts'

const { config, key } = JSON.parse(await text(process.stdin))
const storage = await openStorage(config)

async function* endless(): AsyncGenerator<Buffer> {
  for (let count = 1; ; count++) {
    yield randomBytes(4 * 1024 * 1024)
    if (count === 20) process.stdout.write('writing\n')
    if (count >= 20) await sleep(50)
  }
}
await storage.putObject(key, endless())
