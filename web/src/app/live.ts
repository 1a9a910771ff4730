import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useSession } from '../sign-in/sign-in.ts'
import { client } from './client.ts'

/** Whether the live stream is open, for the word beside lists that move by themselves. */
let isLive = false
const listeners = new Set<() => void>()
const setLive = (next: boolean) => {
  isLive = next
  for (const listener of listeners) listener()
}
export const useIsLive = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isLive,
  )

interface LiveEvent {
  event: string
  id: string
  data: unknown
}

const quietest = 60_000

/** Follows the events of a project: one stream per tab, taken up again with Last-Event-ID after any break. */
export function useLiveEvents(org: string | undefined, project: string | undefined): void {
  const session = useSession()
  const cache = useQueryClient()
  useEffect(() => {
    if (session !== 'signed-in') return
    const stop = new AbortController()
    const follow = async () => {
      let lastId = ''
      for (let failures = 0; !stop.signal.aborted; ) {
        try {
          for await (const event of openStream(org, project, lastId, stop.signal)) {
            failures = 0
            setLive(true)
            if (event.id) lastId = event.id
            applyEvent(cache, org, project, event)
          }
        } catch {
          // A stream that ends is opened again; what was missed comes with Last-Event-ID or the next refetch.
        }
        setLive(false)
        if (stop.signal.aborted) return
        failures++
        await new Promise((done) => setTimeout(done, Math.min(30_000, 500 * 2 ** failures)))
      }
    }
    void follow()
    return () => stop.abort()
  }, [session, org, project, cache])
}

function applyEvent(
  cache: ReturnType<typeof useQueryClient>,
  org: string | undefined,
  project: string | undefined,
  { event, data }: LiveEvent,
): void {
  const record = readRecord(data)
  if (event === 'import' && record) {
    cache.setQueryData(['import', record.id], record)
    cache.setQueriesData<{ items: { id: string }[] }>({ queryKey: ['imports', org, project] }, (list) =>
      list && list.items.some((one) => one.id === record.id)
        ? { ...list, items: list.items.map((one) => (one.id === record.id ? record : one)) }
        : list,
    )
    const isKnown = cache
      .getQueriesData<{ items: { id: string }[] }>({ queryKey: ['imports', org, project] })
      .some(([, list]) => list?.items.some((one) => one.id === record.id))
    if (!isKnown) void cache.invalidateQueries({ queryKey: ['imports', org, project] })
    if (record.status === 'succeeded') {
      void cache.invalidateQueries({ queryKey: ['project-datasets'] })
      void cache.invalidateQueries({ queryKey: ['usage'] })
      void cache.invalidateQueries({ queryKey: ['import-report', record.id] })
    }
  }
  if (event === 'export') {
    void cache.invalidateQueries({ queryKey: ['export-jobs'] })
    if (record && record.status !== 'running') {
      void cache.invalidateQueries({ queryKey: ['versions'] })
      void cache.invalidateQueries({ queryKey: ['version'] })
      void cache.invalidateQueries({ queryKey: ['usage'] })
    }
  }
  if (event === 'notification') void cache.invalidateQueries({ queryKey: ['inbox'] })
}

function readRecord(data: unknown): { id: string; status: string } | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const inner = 'item' in data ? data.item : data
  return typeof inner === 'object' && inner !== null && 'id' in inner
    ? (inner as { id: string; status: string })
    : undefined
}

async function* openStream(
  org: string | undefined,
  project: string | undefined,
  lastId: string,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent> {
  const query = new URLSearchParams()
  if (org) query.set('org_slug', org)
  if (org && project) query.set('project_slug', project)
  const response = await client.transport.send(`/api/v1/events?${query}`, {
    method: 'GET',
    headers: { accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) },
    signal,
  })
  setLive(true)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (!reader) return
  let rest = ''
  for (;;) {
    const quiet = AbortSignal.timeout(quietest)
    const next = await Promise.race([
      reader.read(),
      new Promise<never>((_, reject) => quiet.addEventListener('abort', () => reject(new Error('quiet')))),
    ])
    if (next.done) return
    const blocks = (rest + next.value).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const parsed = parseBlock(block)
      if (parsed) yield parsed
    }
  }
}

function parseBlock(block: string): LiveEvent | undefined {
  const fields = { event: 'message', id: '', data: '' }
  for (const line of block.split(/\r?\n/)) {
    const match = /^(event|id|data): ?(.*)$/.exec(line)
    if (!match) continue
    const [, name, value = ''] = match
    if (name === 'data') fields.data += (fields.data ? '\n' : '') + value
    else if (name === 'event' || name === 'id') fields[name] = value
  }
  if (!fields.data) return undefined
  try {
    return { ...fields, data: JSON.parse(fields.data) as unknown }
  } catch {
    return undefined
  }
}
