import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { request } from '../app/client.ts'
import { showFault, showToast } from '../app/toasts.tsx'
import { plural } from '../parts/formats.ts'
import type { Manifest } from './queries.ts'

export const flagReasons = ['idle', 'shaky', 'failed', 'tracking', 'camera', 'other'] as const
export type FlagReason = (typeof flagReasons)[number]

export interface Flag {
  id: string
  episode_index: number
  reason: string
  note: string | null
  start_frame: number | null
  end_frame: number | null
  created_by: string | null
  created_by_name: string | null
  created_at: string
}

export interface NewFlag {
  episode_index: number
  reason: string
  note?: string | undefined
  start_frame?: number | undefined
  end_frame?: number | undefined
}

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug' | 'role'>

const base = ({ org_slug, project_slug, slug }: Place) =>
  `/orgs/${org_slug}/projects/${project_slug}/datasets/${slug}/flags`

const flagsQuery = (dataset: Place | undefined) =>
  queryOptions({
    queryKey: ['flags', dataset?.id],
    queryFn: async ({ signal }): Promise<Flag[]> => {
      if (!dataset) return []
      const flags: Flag[] = []
      let cursor: string | null | undefined
      do {
        const page = await request<{ items: Flag[]; next_cursor?: string | null }>('GET', base(dataset), {
          query: { limit: 200, cursor },
          signal,
        })
        flags.push(...page.items)
        cursor = page.next_cursor
      } while (cursor && flags.length < 20_000)
      return flags
    },
    enabled: dataset !== undefined && dataset.role !== null,
  })

export const useFlags = (dataset: Place | undefined) => useQuery(flagsQuery(dataset))

/** Flags happen at once and can be undone: nobody is asked, everybody can go back. */
export function useFlagging(dataset: Place | undefined) {
  const cache = useQueryClient()
  const key = ['flags', dataset?.id]
  const refresh = () => cache.invalidateQueries({ queryKey: key })
  const remove = async (flags: readonly Flag[]) => {
    if (!dataset) return
    cache.setQueryData<Flag[]>(key, (old) => old?.filter(({ id }) => !flags.some((flag) => flag.id === id)))
    if (flags.length > 0) await request('POST', `${base(dataset)}/delete`, { body: { ids: flags.map(({ id }) => id) } })
    await refresh()
  }
  /** Answers those that were not there before: only they are taken back by an undo. */
  const add = async (items: NewFlag[]): Promise<Flag[]> => {
    if (!dataset) return []
    const answer = await request<{ items: Flag[]; created_ids: string[] }>('PUT', base(dataset), { body: { items } })
    await refresh()
    return answer.items.filter(({ id }) => answer.created_ids.includes(id))
  }
  return {
    async flag(items: NewFlag[]) {
      if (!dataset || items.length === 0) return
      try {
        const made = await add(items)
        const what = items.length === 1 ? `Episode ${items[0]?.episode_index}` : plural(items.length, 'episode')
        showToast(`${what} flagged as ${items[0]?.reason}`, () => {
          remove(made).catch(fail)
        })
      } catch (error) {
        fail(error)
      }
    },
    async unflag(flags: readonly Flag[]) {
      try {
        await remove(flags)
        showToast(`${plural(flags.length, 'flag')} taken away`, () => {
          add(
            flags.map(({ episode_index, reason, note, start_frame, end_frame }) => ({
              episode_index,
              reason,
              ...(note ? { note } : {}),
              ...(start_frame === null ? {} : { start_frame }),
              ...(end_frame === null ? {} : { end_frame }),
            })),
          ).catch(fail)
        })
      } catch (error) {
        fail(error)
      }
    },
  }
}

const fail = (error: unknown): void => showFault(error instanceof Error ? error.message : String(error))
