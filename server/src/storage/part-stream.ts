/** Ends with the signal's reason even while the source says nothing. No chunk is asked for before the last one was used. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (!signal) return yield* source
  const iterator = source[Symbol.asyncIterator]()
  const takeNext = (): Promise<IteratorResult<T>> =>
    new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason)
      if (signal.aborted) return stop()
      signal.addEventListener('abort', stop, { once: true })
      const done = () => signal.removeEventListener('abort', stop)
      iterator.next().then(resolve, reject).finally(done)
    })
  try {
    for (let next = await takeNext(); !next.done; next = await takeNext()) yield next.value
  } finally {
    iterator.return?.().catch(() => {}) // not awaited: a source that hangs would hang us too
  }
}

/** Cuts a stream into buffers of their own of exactly the wanted sizes, the last one shorter. An empty stream gives none. */
export async function* gatherParts(
  body: AsyncIterable<Uint8Array>,
  sizeOfPart: (partNumber: number) => number,
): AsyncGenerator<Buffer> {
  let partNumber = 1
  let wantedBytes = sizeOfPart(partNumber)
  let buffer = Buffer.allocUnsafeSlow(Math.min(wantedBytes, 64 * 1024))
  let filledBytes = 0
  for await (const chunk of body) {
    for (let taken = 0; taken < chunk.byteLength; ) {
      const step = Math.min(chunk.byteLength - taken, wantedBytes - filledBytes)
      buffer = growTo(buffer, filledBytes, filledBytes + step, wantedBytes)
      buffer.set(chunk.subarray(taken, taken + step), filledBytes)
      taken += step
      filledBytes += step
      if (filledBytes < wantedBytes) continue
      yield buffer
      partNumber++
      wantedBytes = sizeOfPart(partNumber)
      buffer = Buffer.allocUnsafeSlow(0)
      filledBytes = 0
    }
  }
  if (filledBytes > 0) yield buffer.subarray(0, filledBytes)
}

/** A small object must not cost the memory of a whole part. */
const growTo = (buffer: Buffer<ArrayBuffer>, keptBytes: number, neededBytes: number, maxBytes: number) => {
  if (neededBytes <= buffer.byteLength) return buffer
  const grown = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(neededBytes, buffer.byteLength * 4)))
  grown.set(buffer.subarray(0, keptBytes))
  return grown
}

interface ResumableRead {
  start: number
  end: number
  /** Opens the same object again at a later byte; throws when it has changed. */
  reopen(start: number): Promise<AsyncIterable<Uint8Array>>
  signal?: AbortSignal | undefined
}

const maxFailuresInARow = 4

/** Goes on where a broken connection stopped, so that a long read does not fail for one lost socket. */
export async function* readResumably(
  first: AsyncIterable<Uint8Array>,
  { start, end, reopen, signal }: ResumableRead,
): AsyncGenerator<Uint8Array> {
  let stream = first
  let position = start
  for (let failures = 0; ; ) {
    try {
      for await (const chunk of stream) {
        position += chunk.byteLength
        failures = 0
        yield chunk
      }
      if (position === end) return
      throw new Error(`The connection ended ${end - position} bytes early.`)
    } catch (error) {
      if (position >= end) return
      if (signal?.aborted || ++failures > maxFailuresInARow) throw error
      stream = await reopen(position)
    }
  }
}

const partsInFlight = 2

/** Sends parts a few at a time, numbered from 1. When one fails, the others are awaited before the failure is passed on. */
export const sendParts = async <Sent>(
  first: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
  send: (partNumber: number, part: Buffer) => Promise<Sent>,
): Promise<Sent[]> => {
  const sent: Promise<Sent>[] = []
  const inFlight = new Set<Promise<unknown>>()
  async function* joined(): AsyncGenerator<Buffer> {
    yield* first
    yield* rest
  }
  try {
    for await (const part of joined()) {
      if (inFlight.size >= partsInFlight) await Promise.race(inFlight)
      const sending = send(sent.length + 1, part)
      sent.push(sending)
      inFlight.add(sending)
      sending.then(
        () => inFlight.delete(sending),
        () => {}, // stays in the set: the next race throws it
      )
    }
    return await Promise.all(sent)
  } catch (error) {
    await Promise.allSettled(sent)
    throw error
  }
}
