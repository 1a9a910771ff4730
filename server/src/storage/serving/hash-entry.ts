/** The thread of hash-thread.ts. */
import { createHash, type Hash } from 'node:crypto'
import { readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { describeError } from '../../errors.ts'
import type { HashAnswer, HashQuestion } from './hash-messages.ts'

const hashes = new Map<number, Hash>()
const buffer = Buffer.allocUnsafeSlow(1024 * 1024)

function readFile(hash: Hash, fd: number, start: number, length: number): void {
  const end = start + length
  for (let position = start; position < end; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.byteLength, end - position), position)
    if (count === 0) throw new Error('The file became shorter while it was read.')
    hash.update(buffer.subarray(0, count))
    position += count
  }
}

const answer = (message: HashAnswer): void => parentPort?.postMessage(message)

parentPort?.on('message', (question: HashQuestion) => {
  const { id, kind } = question
  if (kind === 'close') return void hashes.delete(id)
  if (kind === 'copy') return void hashes.set(id, hashes.get(question.from)?.copy() ?? createHash('sha256'))
  const hash = hashes.get(id) ?? createHash('sha256')
  hashes.set(id, hash)
  try {
    if (kind === 'update') hash.update(new Uint8Array(question.buffer, question.start, question.length))
    if (kind === 'read') readFile(hash, question.fd, question.start, question.length)
    answer(kind === 'digest' ? hash.digest('hex') : '')
  } catch (error) {
    answer({ error: describeError(error) })
  }
})
