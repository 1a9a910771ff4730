import { watchEvents } from '@nmp/sdk/events'
import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { client } from './client.ts'
import { useSession } from './sign-in.ts'

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

const reopenAfterMs = 15_000

/** Follows the events of a project: one stream per tab, taken up again with Last-Event-ID after any break. */
export function useLiveEvents(org: string | undefined, project: string | undefined): void {
  const session = useSession()
  const cache = useQueryClient()
  useEffect(() => {
    if (session !== 'signed-in' || !org || !project) return
    const stop = new AbortController()
    const follow = async () => {
      while (!stop.signal.aborted) {
        try {
          const filter = { org_slug: org, project_slug: project }
          const stream = watchEvents(client.transport, filter, { signal: stop.signal, onOpen: () => setLive(true) })
          for await (const { event, data } of stream) applyEvent(cache, org, project, event, data)
        } catch {
          // The lists ask by themselves until the stream opens again.
        }
        setLive(false)
        if (!stop.signal.aborted) await new Promise((done) => setTimeout(done, reopenAfterMs))
      }
    }
    void follow()
    return () => stop.abort()
  }, [session, org, project, cache])
}

function applyEvent(
  cache: ReturnType<typeof useQueryClient>,
  org: string,
  project: string,
  event: string,
  data: string,
): void {
  const record = readRecord(data)
  if (event === 'import' && record) {
    applyImport(cache, record)
    cache.setQueriesData<{ items: { id: string }[] }>({ queryKey: ['imports', org, project] }, (list) =>
      list?.items.some((one) => one.id === record.id)
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
  // The stream cannot say what was missed: everything that moves by itself is read anew.
  if (event === 'reset')
    for (const key of ['imports', 'import', 'versions', 'version', 'export-jobs', 'inbox', 'usage', 'project-datasets'])
      void cache.invalidateQueries({ queryKey: [key] })
  if (event === 'notification') void cache.invalidateQueries({ queryKey: ['inbox'] })
}

/** The stream cuts long lists as lists do: what the page of an import knows of an HDF5 file is read from the import itself. */
function applyImport(cache: ReturnType<typeof useQueryClient>, record: LiveRecord): void {
  const key = ['import', record.id]
  const known = cache.getQueryData<ImportJob>(key)
  if (!known) return
  cache.setQueryData(key, { ...known, ...record, hdf5: known.hdf5 })
  const isOver = record.status !== 'running' && record.status !== 'queued'
  if (isOver || (record.hdf5 && !known.hdf5)) void cache.invalidateQueries({ queryKey: key })
}

interface LiveRecord {
  id: string
  status: string
  hdf5?: unknown
}

function readRecord(text: string): LiveRecord | undefined {
  const data: unknown = JSON.parse(text || 'null')
  if (typeof data !== 'object' || data === null) return undefined
  const inner = 'item' in data ? data.item : data
  return typeof inner === 'object' && inner !== null && 'id' in inner ? (inner as LiveRecord) : undefined
}
