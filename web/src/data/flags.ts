import type { PutFlagsInput } from '@nmp/sdk/generated/curation'
import type { EpisodeFlag } from '@nmp/sdk/generated/records'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { plural } from '../parts/formats.ts'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
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

interface Flagging {
  items: readonly NewFlag[]
  isUndo?: boolean
  onDone?: (() => void) | undefined
}

interface Unflagging {
  flags: readonly Flag[]
  isUndo?: boolean
}

/** As it is drawn before the answer is there; what the server says replaces it. */
const drawFlag = ({ episode_index, reason, note, start_frame, end_frame }: NewFlag, at: number): Flag => {
  const now = new Date().toISOString()
  return {
    id: `new-${now}-${at}`,
    episode_index,
    reason,
    note: note ?? null,
    start_frame: start_frame ?? null,
    end_frame: end_frame ?? null,
    created_by: null,
    created_by_name: null,
    created_at: now,
    updated_at: now,
  }
}

const flagAgain = ({ episode_index, reason, note, start_frame, end_frame }: Flag): NewFlag => ({
  episode_index,
  reason: reason as NewFlag['reason'],
  ...(note ? { note } : {}),
  ...(start_frame === null ? {} : { start_frame }),
  ...(end_frame === null ? {} : { end_frame }),
})

/** Flags happen at once and can be undone: nobody is asked, everybody can go back. */
export function useFlagging(dataset: Place | undefined) {
  const cache = useQueryClient()
  const change = async <T>(
    draw: (old: Flag[]) => Flag[],
    send: (place: Place) => Promise<T>,
  ): Promise<T | undefined> => {
    if (!dataset) return undefined
    const { queryKey } = flagsQuery(dataset)
    const before = cache.getQueryData<Flag[]>(queryKey)
    cache.setQueryData<Flag[]>(queryKey, (old) => old && draw(old))
    // Without a network nothing is read again: what was there is put back at once.
    const putBack = (error: unknown): never => {
      cache.setQueryData(queryKey, before)
      throw error
    }
    return send(dataset)
      .catch(putBack)
      .finally(() => refresh.flags(dataset.id))
  }
  const addition = useChange(
    ({ items }: Flagging) =>
      change(
        (old) => [...old, ...items.map(drawFlag)],
        (place) => curationOf(place).putFlags([...items]),
      ),
    {
      onDone: (answer, { items, isUndo, onDone }) => {
        onDone?.()
        if (!answer || isUndo) return
        const what = items.length === 1 ? `Episode ${items[0]?.episode_index}` : plural(items.length, 'episode')
        // Only those that were not there before are taken back.
        const flags = answer.items.filter(({ id }) => answer.created_ids.includes(id))
        showToast(`${what} flagged as ${items[0]?.reason}`, () => removal.mutate({ flags, isUndo: true }))
      },
    },
  )
  const removal = useChange(
    ({ flags }: Unflagging) =>
      change(
        (old) => old.filter(({ id }) => !flags.some((flag) => flag.id === id)),
        async (place) => {
          if (flags.length > 0) await curationOf(place).deleteFlags(flags.map(({ id }) => id))
        },
      ),
    {
      onDone: (_, { flags, isUndo }) => {
        if (isUndo) return
        const items = flags.map(flagAgain)
        showToast(`${plural(flags.length, 'flag')} taken away`, () => addition.mutate({ items, isUndo: true }))
      },
    },
  )
  return {
    /** `onDone` when they are stored: a selection whose flags were refused stays. */
    flag: (items: readonly NewFlag[], onDone?: () => void): void => {
      if (items.length > 0) addition.mutate({ items, onDone })
    },
    unflag: (flags: readonly Flag[]): void => removal.mutate({ flags }),
  }
}
