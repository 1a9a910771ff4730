/**
 * The process in which one source becomes a canonical dataset: whatever its files do to a parser or to the memory is done
 * here, and neither the API nor the lease of the job feels it. It ends with its work, or with its parent.
 */
import { parseHere } from '@nmp/formats/child/confinement'
import { FormatError } from '@nmp/formats/errors'
import { describeError, ServiceError } from '../../errors.ts'
import { prepareRevision } from './prepare.ts'
import type { FromPreparer, SentError, ToPreparer } from './prepare-message.ts'

parseHere()

const stop = new AbortController()

const send = (message: FromPreparer): Promise<void> =>
  new Promise((resolve) => {
    if (!process.send) return resolve()
    process.send(message, undefined, undefined, () => resolve())
  })

const describe = (error: unknown): SentError => {
  if (error instanceof FormatError) return { from: 'format', code: error.code, sentence: error.message }
  if (error instanceof ServiceError) return { from: 'service', code: error.code, sentence: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { from: 'unknown', code, sentence: describeError(error) }
}

/** A message for each of very many chunks would be more work than they are. */
const tellSometimes = (tell: (bytes: number) => void): ((bytes: number) => void) => {
  let told = 0
  return (bytes) => {
    if (bytes - told < 1_000_000) return
    told = bytes
    tell(bytes)
  }
}

const prepare = async (request: Extract<ToPreparer, { say: 'prepare' }>['request']): Promise<FromPreparer> => {
  try {
    const prepared = await prepareRevision(request, {
      signal: stop.signal,
      onPhase: (phase) => void send({ say: 'phase', phase }),
      onProgress: (done, total, message) => void send({ say: 'progress', done, total, message }),
      onUnpacking: tellSometimes((bytes) => void send({ say: 'unpacking', bytes })),
      onReading: (path) => void send({ say: 'reading', path }),
      onLearned: (learned) => void send({ say: 'learned', learned }),
    })
    return { say: 'done', prepared }
  } catch (error) {
    return { say: 'failed', error: describe(error) }
  }
}

process.on('message', async (message: ToPreparer) => {
  if (message.say === 'stop') return stop.abort(new Error('stopped'))
  await send(await prepare(message.request))
  process.exit(0)
})
process.on('disconnect', () => process.exit(1))
