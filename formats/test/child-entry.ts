import { writeSync } from 'node:fs'
import { serveCalls } from '../src/containers/child/server.ts'
import { FormatError } from '../src/errors.ts'

/** A child that does what hostile files make parsers do. */
serveCalls({
  describe: () => ({
    head: { environment: process.env, folder: process.cwd(), arguments: process.argv.length, pid: process.pid },
  }),
  *echo(params: { answers: number }, input) {
    let received = 0
    for (const { body } of input) received += body?.length ?? 0
    for (let index = 0; index < params.answers; index++)
      yield { head: index, body: new Uint8Array(100_000).fill(index) }
    return { head: { received } }
  },
  refuse: () => {
    throw new FormatError('limit_exceeded', 'The file has too many groups.')
  },
  stumble: () => {
    throw new Error('unexpected byte')
  },
  crash: () => process.abort(),
  leave: () => process.exit(0),
  hang: () => {
    for (;;);
  },
  eat: () => {
    const pieces: Uint8Array[] = []
    for (;;) pieces.push(new Uint8Array(16_000_000).fill(1))
  },
  chatter: () => {
    process.once('exit', () => writeSync(1, Buffer.alloc(1_000_000)))
    return { head: 'said' }
  },
  babble: () => {
    process.stdout.write('this is not a message at all, and its first bytes announce a very long one')
    for (;;);
  },
})
