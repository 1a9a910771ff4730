import type { CutsPreview } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { cutsQuery } from '../../data/recipe/cuts-query.ts'
import {
  changeTrim,
  clearEpisode,
  countFrames,
  cutOut,
  type FrameCuts,
  type FrameRange,
  type IdleRule,
  keepOnly,
  listGone,
  listNamed,
  listSplits,
  toggleSplit,
} from '../../data/recipe/frame-cuts.ts'
import { changeRecipeBack, getDraft, type Recipe, useDraft } from '../../data/recipe/recipe-draft.ts'
import { useRecipeTarget } from '../../data/recipe/recipe-target.ts'
import { describe } from '../../parts/faults.ts'
import { plural } from '../../parts/formats.ts'
import { showFault, showToast } from '../../parts/toasts.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { useSession } from '../../session/sign-in.ts'
import { useStore } from '../../session/store.ts'
import type { PlayerClock } from '../clock.ts'
import { trialOf } from '../still-trial.ts'

const readRanges = (ranges: readonly number[][]): FrameRange[] =>
  ranges.map(([from = 0, to = 0]): FrameRange => [from, to])

/** What the draft keeps of the episode that is open, what a rule for still frames finds in it, and how both are changed. */
export function useFrameCuts(dataset: Manifest, index: number, clock: PlayerClock) {
  const { recipe } = useDraft(dataset.id)
  const trial = useStore(trialOf(dataset.id))
  const queries = useQueryClient()
  const { org, source } = useRecipeTarget(dataset)
  const isSignedIn = useSession() === 'signed-in'
  const inDraft = recipe.trim?.idle ?? null
  const rule = inDraft ?? trial.rule
  const named = listNamed(recipe, index)
  // Only a rule needs the server: what was cut by hand is known here.
  const isAsked = isSignedIn && (trial.isOpen || inDraft !== null)
  const asked = useMemo(
    () => (inDraft || !trial.isOpen ? recipe : { ...recipe, trim: changeTrim(recipe.trim, { idle: trial.rule }) }),
    [recipe, inDraft, trial],
  )
  const settled = useSettled(asked)
  const answer = useQuery({ ...cutsQuery(org, source, settled, index), enabled: isAsked })
  const own = answer.data?.episode?.episode_index === index ? answer.data.episode : undefined
  const byRule = inDraft && own?.is_selected ? readRanges(own.parts.flatMap(({ ranges }) => ranges)) : undefined
  const kept = named ?? byRule?.toSorted(([one], [other]) => one - other) ?? [[0, clock.frames] as const]

  /** What is kept at this moment: the rule may have been changed a moment ago. */
  const findKept = async (now: Recipe): Promise<readonly FrameRange[]> => {
    const ranges = listNamed(now, index)
    if (ranges || !now.trim?.idle) return ranges ?? [[0, clock.frames]]
    const { episode } = await queries.fetchQuery(cutsQuery(org, source, now, index))
    const left = readRanges(episode?.parts.flatMap((part) => part.ranges) ?? [])
    return left.length > 0 ? left.toSorted(([one], [other]) => one - other) : [[0, clock.frames]]
  }
  const change = async (
    apply: (cuts: FrameCuts, kept: readonly FrameRange[]) => FrameCuts | undefined,
    say: (cuts: FrameCuts) => string,
    refusal: string,
  ) => {
    try {
      const { recipe: now } = getDraft(dataset.id)
      const next = apply(now, await findKept(now))
      if (next) showToast(say(next), changeRecipeBack(dataset.id, { trim: next.trim, split: next.split }))
      else showFault(refusal)
    } catch (error) {
      showFault(describe(error))
    }
  }
  const episode = (of: readonly FrameRange[]) => ({ index, length: clock.frames, kept: of })
  const sayKept = (cuts: FrameCuts): string =>
    `${plural(countFrames(listNamed(cuts, index) ?? [[0, clock.frames]]), 'frame')} of episode ${index} kept`
  const marked = (): FrameRange => [clock.inFrame ?? 0, (clock.outFrame ?? clock.last) + 1]
  const withMarks = (apply: (range: FrameRange) => void) => {
    if (!clock.hasRange) {
      showFault('Mark a range first: in with I, out with O.')
      return
    }
    apply(marked())
    clock.mark(undefined, undefined)
  }

  return {
    /** Of the draft. */
    kept,
    gone: listGone(kept, clock.frames),
    splits: listSplits(recipe, index),
    isChanged: named !== undefined || listSplits(recipe, index).length > 0,
    rests: own?.rests && trial.isOpen ? readRanges(own.rests.ranges) : [],
    still: {
      isOpen: trial.isOpen,
      isSignedIn,
      rule,
      isInDraft: inDraft !== null,
      /** Ranges that a person named come before the rule. */
      isNamed: named !== undefined,
      threshold: rule.threshold ?? own?.rests?.threshold ?? null,
      effect: answer.data as CutsPreview | undefined,
      isOld: answer.isPlaceholderData || answer.isFetching || settled !== asked,
      error: answer.isFetching ? undefined : (answer.error ?? undefined),
      toggle: () => trialOf(dataset.id).set({ ...trial, isOpen: !trial.isOpen }),
      /** In the draft where it is there, else only tried; answers how to take it back. */
      change: (next: IdleRule): (() => void) => {
        if (inDraft) return setIdle(dataset.id, next)
        trialOf(dataset.id).set({ ...trial, rule: next })
        return () => trialOf(dataset.id).set(trial)
      },
      setInDraft: (isOn: boolean) =>
        showToast(
          isOn ? 'The draft cuts still frames' : 'The draft leaves still frames in',
          setIdle(dataset.id, isOn ? rule : null),
        ),
    },
    keepOnly: () => withMarks((range) => void change((cuts, of) => keepOnly(cuts, episode(of), range), sayKept, '')),
    cutOut: () =>
      withMarks(
        (range) =>
          void change(
            (cuts, of) => cutOut(cuts, episode(of), range),
            sayKept,
            `No frame of episode ${index} would be left. Exclude the episode (X) instead.`,
          ),
      ),
    splitHere: () => {
      const { frame } = clock
      const isThere = listSplits(getDraft(dataset.id).recipe, index).includes(frame)
      void change(
        (cuts, of) => toggleSplit(cuts, episode(of), frame),
        () => (isThere ? `Joined again at frame ${frame}` : `Episode ${index} is split at frame ${frame}`),
        `A part would have no frame: go to one after the first that is kept, and split there.`,
      )
    },
    putBack: () => {
      const cuts = clearEpisode(getDraft(dataset.id).recipe, index)
      showToast(`All frames of episode ${index} are back`, changeRecipeBack(dataset.id, cuts))
    },
  }
}

export type PlayerCuts = ReturnType<typeof useFrameCuts>

function setIdle(datasetId: string, idle: IdleRule | null): () => void {
  const { trim } = getDraft(datasetId).recipe
  return changeRecipeBack(datasetId, { trim: changeTrim(trim, { idle }) })
}
