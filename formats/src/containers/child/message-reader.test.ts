import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MessageReader } from './message-reader.ts'

/** A program that says messages of so many bytes each, with a pause after each, and ends. */
function say(sizes: readonly number[]) {
  const script = `const say = (size) => new Promise((resolve) => {
      const head = Buffer.from('1')
      const bytes = Buffer.alloc(8 + head.length + size)
      bytes.writeUInt32LE(head.length, 0)
      bytes.writeUInt32LE(size, 4)
      bytes.set(head, 8)
      process.stdout.write(bytes, () => setTimeout(resolve, 100))
    })
    for (const size of ${JSON.stringify(sizes)}) await say(size)`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}

test('the end is seen behind answers that had come before anybody asked for them', async () => {
  const child = say([30_000, 20_000])
  const reader = new MessageReader(child.stdout)
  await once(child, 'exit')
  await wait(100)
  for (const size of [30_000, 20_000]) expect((await reader.next())?.body?.length).toBe(size)
  await reader.closed
  expect(await reader.next()).toBeUndefined()
})
