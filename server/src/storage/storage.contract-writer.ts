// The process that the contract test kills. `endless`: one object that never ends; says so when more than one part is under way.
// `many`: one object of 20 MiB after the other, each filled with its own number; says so when it begins.
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStorage } from './open-storage.ts'

const MiB = 1024 * 1024
const { config, mode, prefix } = JSON.parse(await text(process.stdin))
const storage = await openStorage(config)

async function* generateForEver(): AsyncGenerator<Buffer> {
  for (let count = 1; ; count++) {
    yield Buffer.alloc(4 * MiB, count)
    if (count === 20) process.stdout.write('writing\n')
    if (count >= 20) await sleep(50)
  }
}

async function* generateBlocks(number: number): AsyncGenerator<Buffer> {
  for (let block = 0; block < 20; block++) yield Buffer.alloc(MiB, number)
}

if (mode === 'endless') await storage.putObject(`${prefix}endless`, generateForEver())
process.stdout.write('writing\n')
for (let number = 1; ; number++) await storage.putObject(`${prefix}${number}`, generateBlocks(number))
