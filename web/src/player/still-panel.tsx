import { useRef } from 'react'
import { CutEffect } from '../episode/cut-effect.tsx'
import { Button, Segmented, Switch } from '../parts/controls.tsx'
import { describe, findFault } from '../parts/faults.ts'
import { showToast } from '../parts/toasts.tsx'
import type { PlayerCuts } from './timeline/use-frame-cuts.ts'
import './timeline/cut-bar.css'

/** Finer where rests are told from slow motion. */
const steps = { min: 0.02, max: 1, step: 0.01 }

/** Where the robot rests, by a threshold that is tried here: what it finds is on the timeline, what it does to the dataset beside it. */
export function StillPanel({ still }: { still: PlayerCuts['still'] }) {
  const undo = useRef<() => void>(undefined)
  const { rule, threshold } = still
  const settle = () => {
    const back = undo.current
    undo.current = undefined
    if (back) showToast(`Still below ${still.rule.threshold ?? 'what the noise allows'} of the usual step`, back)
  }
  const fault = still.error && (findFault(still.error, 'recipe', 'trim', 'idle') ?? describe(still.error))
  return (
    <section className="still-panel" aria-label="Still frames">
      <div className="still-rule">
        <div className="row wrap">
          <Switch label="Cut still frames in the draft" checked={still.isInDraft} onChange={still.setInDraft} />
          <b>{still.isInDraft ? 'Cut by the draft' : 'Not in the draft'}</b>
          <Segmented
            label="Where still frames go"
            small
            value={rule.from ?? 'start'}
            onChange={(from) => {
              const back = still.change({ ...rule, from: from === 'start' ? null : from })
              if (still.isInDraft) showToast(`Still frames go ${words[from]}`, back)
            }}
            options={[
              { value: 'start', label: 'start' },
              { value: 'end', label: 'end' },
              { value: 'both', label: 'both' },
              { value: 'anywhere', label: 'anywhere' },
            ]}
          />
        </div>
        <label className="still-slider small">
          <span>Still below</span>
          <input
            type="range"
            aria-label="Threshold, share of the usual step"
            {...steps}
            value={threshold ?? 0.15}
            onChange={(event) => {
              const back = still.change({ ...rule, threshold: Number(event.target.value) })
              undo.current ??= back
            }}
            onPointerUp={settle}
            onKeyUp={settle}
            onBlur={settle}
          />
          <b className="mono">{(threshold ?? 0.15).toFixed(2)}</b>
          {rule.threshold === null ? (
            <span className="dim">by the noise</span>
          ) : (
            <Button
              small
              look="ghost"
              onClick={() => {
                const back = still.change({ ...rule, threshold: null })
                if (still.isInDraft) showToast('The threshold follows the noise again', back)
              }}
            >
              Reset
            </Button>
          )}
        </label>
        <p className="small mid">
          {endWords(rule.from)}
          {still.isNamed && ' This episode was cut by hand, which comes before the rule.'}
        </p>
      </div>
      <div className="still-effect">
        {fault ? (
          <p className="text-flag" role="alert">
            {fault}
          </p>
        ) : still.effect ? (
          <CutEffect effect={still.effect} isOld={still.isOld} />
        ) : (
          <p className="dim">Looking for rests …</p>
        )}
      </div>
    </section>
  )
}

const words = {
  start: 'at the start',
  end: 'at the end',
  both: 'at the start and the end',
  anywhere: 'wherever they are',
} as const

const endWords = (from: PlayerCuts['still']['rule']['from']): string =>
  from === null || from === 'start'
    ? 'The still end stays: a policy that never saw the robot rest at its goal does not learn to stop.'
    : 'The still end is usually kept: a policy that never saw the robot rest does not learn to stop.'
