/** The thread of hash-thread.ts. */
import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { HashQuestion } from './hash-messages.ts'

const hashes = new Map<number, Hash>()

parentPort?.on('message', (question: HashQuestion) => {
  const { id, kind } = question
  if (kind === 'close') return void hashes.delete(id)
  if (kind === 'copy') return void hashes.set(id, hashes.get(question.from)?.copy() ?? createHash('sha256'))
  const hash = hashes.get(id) ?? createHash('sha256')
  hashes.set(id, hash)
  if (kind === 'update') hash.update(new Uint8Array(question.buffer, question.start, question.length))
  parentPort?.postMessage(kind === 'digest' ? hash.digest('hex') : '')
})
