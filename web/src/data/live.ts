import { watchEvents } from '@nmp/sdk/events'
import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { client } from '../session/client.ts'
import { useSession } from '../session/sign-in.ts'
import { applyCheckRun } from './checks.ts'
import { isDeciding } from './episodes/reviews.ts'
import { importQuery, importsQuery, isMoving, movingImportsQuery } from './imports.ts'
import { liveness } from './liveness.ts'
import { refresh } from './refresh.ts'

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
          const stream = watchEvents(client.transport, filter, {
            signal: stop.signal,
            onOpen: () => liveness.set({ org, project }),
          })
          for await (const { event, data } of stream) applyEvent(cache, org, project, event, data)
        } catch {
          // The lists ask by themselves until the stream opens again.
        }
        liveness.set(undefined)
        if (!stop.signal.aborted) await new Promise((done) => setTimeout(done, reopenAfterMs))
      }
    }
    void follow()
    return () => stop.abort()
  }, [session, org, project, cache])
}

function applyEvent(cache: QueryClient, org: string, project: string, event: string, data: string): void {
  const record = readRecord(data)
  if (event === 'import' && record) {
    applyImport(cache, org, project, record)
    const lists = [importsQuery(org, project).queryKey, movingImportsQuery(org, project).queryKey]
    const knows = (list: { items: { id: string }[] } | undefined) => list?.items.some(({ id }) => id === record.id)
    for (const queryKey of lists)
      cache.setQueryData<{ items: { id: string }[] }>(queryKey, (list) =>
        list && knows(list) ? { ...list, items: list.items.map((one) => (one.id === record.id ? record : one)) } : list,
      )
    const known = lists.map((queryKey) => cache.getQueryData<{ items: { id: string }[] }>(queryKey)).filter(Boolean)
    const isMissing = isMoving(record) ? !known.every(knows) : !known.some(knows)
    if (isMissing) void refresh.imports(org, project)
    if (record.status === 'succeeded') void refresh.imported(record.id)
  }
  if (event === 'export') {
    void refresh.exportJobs()
    if (record && record.status !== 'running') void refresh.exported()
  }
  if (event === 'check') applyCheckRun(cache, JSON.parse(data))
  // What this tab has said and not sent yet would be drawn away.
  if (event === 'review' && record && !isDeciding(record.id)) void refresh.review(record.id)
  // The stream cannot say what was missed: everything that moves by itself is read anew.
  if (event === 'reset') void refresh.whatMoves()
  if (event === 'notification') void refresh.inbox()
}

/** The stream cuts long lists as lists do: what the page of an import knows of an HDF5 file is read from the import itself. */
function applyImport(cache: QueryClient, org: string, project: string, record: LiveRecord): void {
  const { queryKey } = importQuery(org, project, record.id)
  const known = cache.getQueryData<ImportJob>(queryKey)
  if (!known) return
  cache.setQueryData<ImportJob>(queryKey, { ...known, ...(record as Partial<ImportJob>), hdf5: known.hdf5 })
  const isOver = record.status !== 'running' && record.status !== 'queued'
  if (isOver || (record.hdf5 && !known.hdf5)) void refresh.import(record.id)
}

interface LiveRecord {
  id: string
  status: ImportJob['status']
  hdf5?: unknown
}

function readRecord(text: string): LiveRecord | undefined {
  const data: unknown = JSON.parse(text || 'null')
  if (typeof data !== 'object' || data === null) return undefined
  const inner = 'item' in data ? data.item : data
  return typeof inner === 'object' && inner !== null && 'id' in inner ? (inner as LiveRecord) : undefined
}
