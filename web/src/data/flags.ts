import type { PutFlagsInput } from '@nmp/sdk/generated/curation'
import type { EpisodeFlag } from '@nmp/sdk/generated/records'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { plural } from '../parts/formats.ts'
import { showFault, showToast } from '../parts/toasts.tsx'
import { curationOf } from './curation.ts'
import type { Manifest } from './dataset.ts'
import { refresh } from './refresh.ts'

export type Flag = EpisodeFlag
export type NewFlag = PutFlagsInput['body']['items'][number]
/** In the order of the keys 1 to 6. */
export const flagReasons = ['idle', 'shaky', 'failed', 'tracking', 'camera', 'other'] as const
export type FlagReason = (typeof flagReasons)[number]

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'slug' | 'role'>

const mostFlags = 20_000

const flagsQuery = (dataset: Place | undefined) =>
  queryOptions({
    queryKey: ['flags', dataset?.id],
    queryFn: async ({ signal }): Promise<Flag[]> => {
      if (!dataset) return []
      const flags: Flag[] = []
      for await (const flag of curationOf(dataset).iterateFlags({ signal })) {
        flags.push(flag)
        if (flags.length >= mostFlags) break
      }
      return flags
    },
    enabled: dataset !== undefined && dataset.role !== null,
  })

export const useFlags = (dataset: Place | undefined) => useQuery(flagsQuery(dataset))

/** Flags happen at once and can be undone: nobody is asked, everybody can go back. */
export function useFlagging(dataset: Place | undefined) {
  const cache = useQueryClient()
  const key = flagsQuery(dataset).queryKey
  const remove = async (flags: readonly Flag[]) => {
    if (!dataset) return
    cache.setQueryData<Flag[]>(key, (old) => old?.filter(({ id }) => !flags.some((flag) => flag.id === id)))
    if (flags.length > 0) await curationOf(dataset).deleteFlags(flags.map(({ id }) => id))
    await refresh.flags(dataset.id)
  }
  /** Answers those that were not there before: only they are taken back by an undo. */
  const add = async (items: NewFlag[]): Promise<Flag[]> => {
    if (!dataset) return []
    // Drawn before the answer is there; what the server says replaces it.
    const now = new Date().toISOString()
    const drawn = items.map(
      ({ episode_index, reason, note, start_frame, end_frame }, at): Flag => ({
        ...{ id: `new-${now}-${at}`, episode_index, reason, note: note ?? null },
        ...{ start_frame: start_frame ?? null, end_frame: end_frame ?? null },
        ...{ created_by: null, created_by_name: null, created_at: now, updated_at: now },
      }),
    )
    cache.setQueryData<Flag[]>(key, (old) => old && [...old, ...drawn])
    const answer = await curationOf(dataset)
      .putFlags(items)
      .finally(() => refresh.flags(dataset.id))
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
              reason: reason as NewFlag['reason'],
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
