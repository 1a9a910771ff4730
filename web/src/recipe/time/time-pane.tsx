import type { Manifest } from '../../data/dataset.ts'
import { changeTrim } from '../../data/recipe/frame-cuts.ts'
import { changeRecipe, noAction, type Recipe } from '../../data/recipe/recipe-draft.ts'
import { CutEffect } from '../../episode/cut-effect.tsx'
import { Button } from '../../parts/controls.tsx'
import { describe, findFault } from '../../parts/faults.ts'
import { formatCount, formatDuration } from '../../parts/formats.ts'
import { NumberField } from '../../parts/number-field.tsx'
import type { RecipePreview } from '../result/use-recipe-preview.ts'
import { CutList } from './cut-list.tsx'
import { IdleFields } from './idle-fields.tsx'
import '../recipe-page.css'
import './time-pane.css'

interface TimePaneProps {
  dataset: Manifest
  recipe: Recipe
  preview: RecipePreview
  /** What the server said of the recipe, if it refused it. */
  error: unknown
}

/** Which frames stay: what comes of it, the rule for still frames, what was cut by hand, and the rate. */
export function TimePane({ dataset, recipe, preview, error }: TimePaneProps) {
  const change = (next: Partial<Recipe>) => changeRecipe(dataset.id, next)
  const shift = recipe.action?.shift_frames ?? null
  const setShift = (next: number | null) => {
    const action = { ...noAction, ...recipe.action, shift_frames: next || null }
    change({ action: Object.values(action).some((value) => value !== null) ? action : null })
  }
  const elsewhere =
    error && !['trim', 'split', 'fps', 'action'].some((key) => findFault(error, 'recipe', key)) ? error : undefined
  return (
    <section aria-label="Time">
      <div className="row height-36">
        <h2>Time</h2>
        <span className="dim">which frames stay, at which rate</span>
      </div>
      {elsewhere !== undefined && <p className="text-flag small below-8">{describe(elsewhere)}</p>}
      <div className="time-result">
        {preview.result ? (
          <BeforeAfter dataset={dataset} result={preview.result} isOld={preview.isOld} />
        ) : (
          <p className={preview.isRefused ? 'dim' : 'dim late'}>
            {preview.isRefused ? 'Nothing to count: the recipe is refused, below is why.' : 'Counting frames …'}
          </p>
        )}
      </div>
      <IdleFields
        dataset={dataset}
        idle={recipe.trim?.idle ?? null}
        error={error}
        onChange={(idle) => change({ trim: changeTrim(recipe.trim, { idle }) })}
      />
      <CutList dataset={dataset} recipe={recipe} error={error} />
      <section aria-label="Rate and shift">
        <h3 className="above-20 below-6">Rate and shift</h3>
        <div className="time-fields">
          <NumberField
            label="Frames per second"
            step={1}
            min={0.1}
            max={dataset.metrics.fps}
            placeholder={`${dataset.metrics.fps}, as recorded`}
            value={recipe.fps}
            fault={findFault(error, 'recipe', 'fps')}
            onChange={(fps) => change({ fps })}
          />
          <NumberField
            label="Action from so many frames later"
            step={1}
            min={-10}
            max={10}
            placeholder="0"
            unit="frames"
            value={shift}
            fault={
              findFault(error, 'recipe', 'action', 'shift_frames') ??
              (shift ? findFault(error, 'recipe', 'action') : undefined)
            }
            onChange={setShift}
          />
        </div>
        <div className="row wrap above-8">
          {listDivisors(dataset.metrics.fps).map((fps) => (
            <Button key={fps} small aria-pressed={recipe.fps === fps} onClick={() => change({ fps })}>
              {fps} fps
            </Button>
          ))}
          {recipe.fps !== null && (
            <Button small look="ghost" onClick={() => change({ fps: null })}>
              As recorded
            </Button>
          )}
        </div>
        <p className="small mid above-8 max-width-620">
          A divisor of the rate takes every n-th frame as it is; any other rate takes the frame that is nearest in time.
          Rows are taken, not averaged; rewards of frames in between are summed. With a shift, frames that would have no
          action are cut.
        </p>
      </section>
    </section>
  )
}

/** Rates that take every second, third, fourth and fifth frame, where these are whole. */
const listDivisors = (fps: number): number[] =>
  [2, 3, 4, 5, 6].map((n) => fps / n).filter((rate) => Number.isInteger(rate))

interface BeforeAfterProps {
  dataset: Manifest
  result: NonNullable<RecipePreview['result']>
  isOld: boolean
}

function BeforeAfter({ dataset, result, isOld }: BeforeAfterProps) {
  const rows: [string, string, string][] = [
    ['Episodes', formatCount(result.source_episode_count), formatCount(result.episode_count)],
    ['Frames', formatCount(result.source_frame_count), formatCount(result.frame_count)],
    ['Duration', formatDuration(dataset.statistics.total_recording_sec), formatDuration(result.duration_sec)],
    ['Frames per second', String(result.source_fps), String(result.fps)],
  ]
  return (
    <div className={isOld ? 'time-figures outdated' : 'time-figures'} aria-busy={isOld}>
      <table className="table time-table">
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">What</span>
            </th>
            <th className="align-right">Before</th>
            <th className="align-right">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, before, after]) => (
            <tr key={name}>
              <td className="mid">{name}</td>
              <td className="align-right dim">{before}</td>
              <td className="align-right">
                {before === after ? <span className="dim">{after}</span> : <b>{after}</b>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <CutEffect effect={result} isOld={false} />
    </div>
  )
}
