import type { CallOptions } from './operation.ts'
import { backOffMs, isPassing, sleep } from './retry.ts'
import type { Transport } from './transport.ts'

export interface ServerEvent {
  id: string | undefined
  event: string
  data: string
}

export interface EventFilter {
  org_slug?: string | undefined
  project_slug?: string | undefined
}

const path = '/api/v1/events'
/** The server sends a comment now and then; silence longer than this is a dead connection. */
const silenceMs = 60_000
const mostFaults = 3

/**
 * What happens in the projects that the credential reads, as it happens. Reconnects with `Last-Event-ID`, so nothing that the
 * server still holds is missed; ends by throwing when the server refuses, or cannot be reached a few times in a row.
 */
export async function* watchEvents(
  transport: Transport,
  filter: EventFilter = {},
  options: CallOptions & { onOpen?: (() => void) | undefined } = {},
): AsyncGenerator<ServerEvent> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  let lastId: string | undefined
  for (let faults = 0; ; faults++) {
    try {
      const response = await transport.send(`${path}?${query}`, {
        method: 'GET',
        headers: { accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) },
        signal: options.signal,
      })
      options.onOpen?.()
      for await (const event of readEvents(response)) {
        faults = 0
        lastId = event.id ?? lastId
        yield event
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (faults >= mostFaults || !(isPassing(error, true) || error instanceof SilenceError)) throw error
    }
    await sleep(backOffMs(faults, undefined), options.signal)
  }
}

class SilenceError extends Error {}

/** The events of one stream, by the rules of the HTML standard, section 9.2.6. */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .getReader()
  if (!reader) return
  let rest = ''
  let fields: { id?: string; event?: string; data: string[] } = { data: [] }
  try {
    while (true) {
      const { done, value } = await readOrFail(reader)
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') addField(fields, line)
        else {
          if (fields.data.length > 0) {
            yield { id: fields.id, event: fields.event ?? 'message', data: fields.data.join('\n') }
          }
          fields = { data: [] }
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function addField(fields: { id?: string; event?: string; data: string[] }, line: string): void {
  const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
  if (name === 'data') fields.data.push(value)
  else if (name === 'event') fields.event = value
  else if (name === 'id' && !value.includes('\0')) fields.id = value
}

async function readOrFail(reader: ReadableStreamDefaultReader<string>) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SilenceError('The stream of events fell silent.')), silenceMs)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } catch (error) {
    throw error instanceof SilenceError
      ? error
      : new SilenceError('The stream of events was cut off.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
