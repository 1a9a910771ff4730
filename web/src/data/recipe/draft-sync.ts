import type { RecipeDraft } from '@nmp/sdk/generated/records'
import { hashKey, queryOptions } from '@tanstack/react-query'
import { useEffect } from 'react'
import { describe } from '../../parts/faults.ts'
import { showToast } from '../../parts/toasts.tsx'
import { ApiError, client } from '../../session/client.ts'
import { useSession } from '../../session/sign-in.ts'
import { createStoreByKey, useStore } from '../../session/store.ts'
import { readMerge } from './merge-draft.ts'
import {
  adoptDraft,
  changeDraft,
  contentOf,
  type DraftContent,
  emptyRecipe,
  getDraft,
  subscribeToDraft,
} from './recipe-draft.ts'

/** Whether what is drawn is at the server: "saved" is said of nothing else. */
type DraftState = { kind: 'loading' | 'saved' | 'saving' } | { kind: 'unsaved'; reason: string }

const stateOf = createStoreByKey<DraftState>(() => ({ kind: 'loading' }))
export const useDraftState = (datasetId: string): DraftState => useStore(stateOf(datasetId))

/** A slider that is dragged is saved once. */
const quietMs = 600
const retryMs = 5_000

export const sharedDraftQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['shared-draft', id],
    queryFn: async ({ signal }) =>
      (await client.versions.getSharedRecipeDraft({ draft_id: id ?? '' }, { signal })).item,
    enabled: id !== undefined,
    staleTime: 0,
  })

/** The recipe of one's own draft on another dataset; null where nothing was begun. */
export const ownRecipeQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['own-recipe', datasetId],
    queryFn: async ({ signal }) => {
      const { item } = await client.versions.getRecipeDraft({ dataset_id: datasetId }, { signal })
      return item && readSaved(item).recipe
    },
    staleTime: 0,
  })

/** The server keeps what it is given of a recipe in the making: further sources are a key of it. */
export const readSaved = ({ slug, name, recipe: { merge, ...recipe } }: RecipeDraft): DraftContent => ({
  slug,
  name,
  recipe: { ...emptyRecipe, ...recipe },
  merge: readMerge(merge),
})

/** What was sent and not answered: the server may have any of it. The same content is the same text, in whatever order its keys come back. */
const unansweredKeyOf = (datasetId: string) => `nmp.recipe-unanswered.${datasetId}`
const maxUnanswered = 16
const textOf = (draft: DraftContent): string => hashKey([contentOf(draft)])
const listUnanswered = (datasetId: string): string[] =>
  JSON.parse(localStorage.getItem(unansweredKeyOf(datasetId)) ?? '[]')
function rememberUnanswered(datasetId: string, draft: DraftContent): void {
  const sent = new Set([...listUnanswered(datasetId), textOf(draft)])
  try {
    localStorage.setItem(unansweredKeyOf(datasetId), JSON.stringify([...sent].slice(-maxUnanswered)))
  } catch {
    // A full store: after a lost answer this draft looks like another browser's, which can be undone.
  }
}
const forgetUnanswered = (datasetId: string): void => localStorage.removeItem(unansweredKeyOf(datasetId))
const isOwn = (datasetId: string, saved: RecipeDraft): boolean =>
  listUnanswered(datasetId).includes(textOf(readSaved(saved)))

const adopt = (datasetId: string, saved: RecipeDraft, isContentToo: boolean): void =>
  adoptDraft(datasetId, {
    ...(isContentToo ? readSaved(saved) : {}),
    id: saved.id,
    revision: saved.revision,
    savedAt: Date.parse(saved.updated_at),
  })

/** One at a time for each dataset; whatever is asked for meanwhile follows. */
const working = new Map<string, Promise<void>>()
function enqueue(datasetId: string, work: () => Promise<void>): Promise<void> {
  const next = (working.get(datasetId) ?? Promise.resolve()).then(work)
  working.set(datasetId, next)
  return next
}

const timers = new Map<string, ReturnType<typeof setTimeout>>()
function saveSoon(datasetId: string, afterMs: number): void {
  clearTimeout(timers.get(datasetId))
  timers.set(
    datasetId,
    setTimeout(() => void enqueue(datasetId, () => save(datasetId)), afterMs),
  )
}

async function save(datasetId: string): Promise<void> {
  const sent = getDraft(datasetId)
  if (!sent.isChanged) return
  stateOf(datasetId).set({ kind: 'saving' })
  rememberUnanswered(datasetId, sent)
  try {
    const { revision, slug, name, recipe, merge } = sent
    const body = { revision, slug, name, recipe: { ...recipe, ...(merge && { merge }) } }
    const { item } = await client.versions.putRecipeDraft({ dataset_id: datasetId, body })
    forgetUnanswered(datasetId)
    adopt(datasetId, item, false)
    const now = getDraft(datasetId)
    const isStill = now.recipe === recipe && now.merge === merge && now.slug === slug
    adoptDraft(datasetId, { isChanged: !isStill })
    stateOf(datasetId).set({ kind: isStill ? 'saved' : 'saving' })
    if (!isStill) saveSoon(datasetId, 0)
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return load(datasetId)
    stateOf(datasetId).set({ kind: 'unsaved', reason: describe(error) })
    saveSoon(datasetId, retryMs)
  }
}

/**
 * What another browser has saved is shown; what was changed here and not saved can be put back.
 * What this one sent before its page was left, or before the line broke, is nobody else's: changes go on from it.
 */
async function load(datasetId: string): Promise<void> {
  try {
    const { item } = await client.versions.getRecipeDraft({ dataset_id: datasetId })
    const mine = getDraft(datasetId)
    const isNewer = item !== null && item.revision !== mine.revision
    if (item && isNewer && mine.isChanged && isOwn(datasetId, item)) adopt(datasetId, item, false)
    else if (item && isNewer) {
      adopt(datasetId, item, true)
      adoptDraft(datasetId, { isChanged: false })
      if (mine.isChanged)
        showToast('The draft was changed in another browser. That one is shown.', () =>
          changeDraft(datasetId, contentOf(mine)),
        )
    } else if (item === null && mine.revision > 0) adoptDraft(datasetId, { revision: 0 })
    forgetUnanswered(datasetId)
    stateOf(datasetId).set({ kind: 'saved' })
    if (getDraft(datasetId).isChanged) saveSoon(datasetId, 0)
  } catch (error) {
    stateOf(datasetId).set({ kind: 'unsaved', reason: describe(error) })
    if (getDraft(datasetId).isChanged) saveSoon(datasetId, retryMs)
  }
}

/** Reads the draft of this dataset from the server, and brings every change there. */
export function useDraftSync(datasetId: string): void {
  const session = useSession()
  useEffect(() => {
    if (session !== 'signed-in') return
    void enqueue(datasetId, () => load(datasetId))
    const stop = subscribeToDraft(datasetId, () => {
      if (!getDraft(datasetId).isChanged) return
      stateOf(datasetId).set({ kind: 'saving' })
      saveSoon(datasetId, quietMs)
    })
    const saveNow = () => saveSoon(datasetId, 0)
    window.addEventListener('online', saveNow)
    return () => {
      stop()
      window.removeEventListener('online', saveNow)
    }
  }, [datasetId, session])
}
