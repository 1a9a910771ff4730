import type { Manifest } from '../../data/dataset.ts'
import { defaultIdle, type IdleRule } from '../../data/recipe/frame-cuts.ts'
import { Segmented, Switch } from '../../parts/controls.tsx'
import { findFault } from '../../parts/faults.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { Select } from '../../parts/select.tsx'
import './time-pane.css'

interface IdleFieldsProps {
  dataset: Manifest
  idle: IdleRule | null
  error: unknown
  onChange(idle: IdleRule | null): void
}

/** The rule that cuts still frames, every key of it. */
export function IdleFields({ dataset, idle, error, onChange }: IdleFieldsProps) {
  const fault = (key: keyof IdleRule) => findFault(error, 'recipe', 'trim', 'idle', key)
  const ofRule = findFault(error, 'recipe', 'trim', 'idle')
  const hasBoth = dataset.observation.state !== null && dataset.action !== null
  const halfSecond = Math.max(1, Math.round(dataset.metrics.fps / 2))
  const set = (change: Partial<IdleRule>) => idle && onChange({ ...idle, ...change })
  return (
    <section aria-label="Still frames">
      <div className="row above-16 min-height-36">
        <h3>Still frames</h3>
        <Switch
          label="Cut still frames"
          checked={idle !== null}
          onChange={(isOn) => onChange(isOn ? defaultIdle : null)}
        />
        <span className="small mid">{idle ? 'are found by rule and cut' : 'stay'}</span>
      </div>
      {!idle && (
        <p className="small mid max-width-620">
          Frames before the robot first moves teach a policy to wait, and can be found and cut. The still end is usually
          kept: {whyEnd}.
        </p>
      )}
      {idle && (
        <>
          <div className="row wrap">
            <Segmented
              label="Where still frames go"
              small
              value={idle.from ?? 'start'}
              onChange={(from) => set({ from: from === 'start' ? null : from })}
              options={[
                { value: 'start', label: 'at the start' },
                { value: 'end', label: 'at the end' },
                { value: 'both', label: 'at both' },
                { value: 'anywhere', label: 'anywhere' },
              ]}
            />
            {idle.from === 'anywhere' && (
              <Segmented
                label="What is left of an episode"
                small
                value={idle.inside ?? 'drop'}
                onChange={(inside) => set({ inside: inside === 'drop' ? null : inside })}
                options={[
                  { value: 'drop', label: 'joined', title: 'What is left of an episode stays one episode' },
                  { value: 'split', label: 'an episode each', title: 'Each piece between two rests is an episode' },
                ]}
              />
            )}
          </div>
          <p className="small mid above-8 max-width-620">{whatBecomes(idle)}</p>
          <div className="time-fields above-8">
            <NumberField
              label="Threshold"
              step={0.01}
              min={0.01}
              max={10}
              placeholder="by the noise"
              unit="of the usual step"
              value={idle.threshold}
              fault={fault('threshold')}
              onChange={(threshold) => set({ threshold })}
            />
            <NumberField
              label="Shortest rest"
              step={1}
              min={1}
              placeholder={String(halfSecond)}
              unit="frames"
              value={idle.min_idle_frames}
              fault={fault('min_idle_frames')}
              onChange={(min_idle_frames) => set({ min_idle_frames })}
            />
            <NumberField
              label="Kept beside motion"
              step={1}
              min={0}
              placeholder="0"
              unit="frames"
              value={idle.keep_frames}
              fault={fault('keep_frames')}
              onChange={(keep_frames) => set({ keep_frames })}
            />
            <Select
              label="Signal"
              showLabel
              value={idle.signal ?? 'default'}
              disabled={!hasBoth && idle.signal === null}
              onChange={(signal) => set({ signal: signal === 'default' ? null : signal })}
              options={[
                { value: 'default', label: hasBoth || dataset.observation.state ? 'as Insights: state' : 'action' },
                { value: 'observation.state', label: 'state' },
                { value: 'action', label: 'action' },
                { value: 'both', label: 'state and action' },
              ]}
            />
          </div>
          {ofRule && (
            <p className="text-flag small above-8" role="alert">
              {ofRule}
            </p>
          )}
        </>
      )}
    </section>
  )
}

const whyEnd = 'a policy that never saw the robot rest at its goal does not learn to stop'

/** What the choice does, and why the still end is usually kept. */
function whatBecomes({ from, inside }: IdleRule): string {
  switch (from) {
    case 'end':
      return `The still end goes. It is usually kept: ${whyEnd}.`
    case 'both':
      return `The still start and the still end go. The end is usually kept: ${whyEnd}.`
    case 'anywhere':
      return `${inside === 'split' ? 'Every rest goes, and each piece between two rests becomes an episode.' : 'Every rest goes, and what is left of an episode is joined: the arm stands where it stood, so nothing jumps.'} The still end is usually kept: ${whyEnd}.`
    default:
      return `The frames before the robot first moves go. The still end is kept: ${whyEnd}.`
  }
}
