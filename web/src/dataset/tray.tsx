import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { type FlagReason, useFlagging } from '../data/flags.ts'
import { insightsQuery } from '../data/insights.ts'
import { excludeEpisodes, includeEpisodes, useLeftOut } from '../data/recipe/recipe-draft.ts'
import { Poster } from '../episode/poster.tsx'
import { Button } from '../parts/controls.tsx'
import { formatCount, formatDuration, formatPercent, plural } from '../parts/formats.ts'
import { showToast } from '../parts/toasts.tsx'
import { useKeys } from '../session/keys.ts'
import { setSelection, useSelection } from '../session/selection.ts'
import { canEdit } from '../session/workspace.ts'
import { FlagAllMenu } from './flag-all-menu.tsx'
import { ReviewButton } from './review/start-review.tsx'
import { useStartRecipe } from './start-recipe.ts'

/** The way on for every selection: flags, an exclusion from the draft, or the recipe under one of its two meanings. */
export function Tray({ dataset, canExcludeByKey = false }: { dataset: Manifest; canExcludeByKey?: boolean }) {
  const selected = useSelection(dataset.id)
  const { leaveOut, keepOnly } = useStartRecipe(dataset.id)
  const leftOut = useLeftOut(dataset.id)
  const insights = useQuery({ ...insightsQuery(dataset.id), enabled: selected.size > 0 })
  const { flag } = useFlagging(dataset)
  const [isFlagOpen, setFlagOpen] = useState(false)
  const indices = [...selected].sort((a, b) => a - b)
  const mayFlag = canEdit(dataset.role)
  const clear = () => setSelection(dataset.id, [])
  const isOut = indices.length > 0 && indices.every((index) => leftOut.has(index))
  const exclude = () => {
    const undo = (isOut ? includeEpisodes : excludeEpisodes)(dataset.id, indices)
    clear()
    showToast(`${plural(indices.length, 'episode')} ${isOut ? 'back in the draft' : 'left out of the draft'}`, () => {
      undo()
      setSelection(dataset.id, indices)
    })
  }
  const flagAll = (reason: FlagReason) => {
    flag(
      indices.map((episode_index) => ({ episode_index, reason })),
      clear,
    )
  }
  const isOpen = selected.size > 0
  useKeys(
    {
      Escape: clear,
      r: leaveOut,
      ...(mayFlag ? { f: () => setFlagOpen(true) } : {}),
      // In lists X selects the row.
      ...(canExcludeByKey ? { x: exclude } : {}),
    },
    isOpen,
  )
  if (!isOpen) return null
  const frames = insights.data
    ? indices.reduce((sum, index) => sum + (insights.data.lengthFrames[index] ?? 0), 0)
    : undefined
  const camera = dataset.observation.cameras[0]
  return (
    <section className="tray" aria-label="Selection">
      <span className="tray-count">{plural(indices.length, 'episode')} selected</span>
      {frames !== undefined && (
        <span className="mid desktop-only">
          {formatDuration(frames / dataset.metrics.fps)},{' '}
          {formatPercent(frames / Math.max(1, dataset.metrics.total_frames))} of the dataset
        </span>
      )}
      {camera && (
        <span className="row gap-2 desktop-only" aria-hidden="true">
          {indices.slice(0, 8).map((index) => (
            <Poster
              key={index}
              dataset={dataset}
              episode={index}
              camera={camera.key}
              frame={0}
              className="thumb"
              width={44}
              height={33}
            />
          ))}
          {indices.length > 8 && <span className="dim small">+{formatCount(indices.length - 8)}</span>}
        </span>
      )}
      <span className="end row">
        <Button look="ghost" shortcut="Esc" onClick={clear}>
          Clear
        </Button>
        <ReviewButton dataset={dataset} name="Selection" indices={indices} />
        {mayFlag && <FlagAllMenu open={isFlagOpen} onOpenChange={setFlagOpen} onFlag={flagAll} />}
        <Button look="ghost" onClick={exclude} {...(canExcludeByKey ? { shortcut: 'X' } : {})}>
          {isOut ? 'Put back' : 'Exclude'}
        </Button>
        <Button onClick={keepOnly}>Keep only these</Button>
        <Button look="primary" shortcut="R" onClick={leaveOut}>
          Leave these out
        </Button>
      </span>
    </section>
  )
}
