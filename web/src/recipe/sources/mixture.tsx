import type { MergePreview } from '@nmp/sdk/generated/records'
import { changeOther, getWeighing, type MergeDraft, type Weighing, weighBy } from '../../data/recipe/merge-draft.ts'
import { changeMerge } from '../../data/recipe/recipe-draft.ts'
import { Segmented } from '../../parts/controls.tsx'
import { plural } from '../../parts/formats.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { LineFaults } from './map-reason.tsx'
import type { SourceFault } from './source-faults.ts'
import './mixture.css'

interface MixtureProps {
  datasetId: string
  /** Of the first source. */
  title: string
  merge: MergeDraft
  preview: MergePreview | undefined
  faults: readonly SourceFault[]
}

interface Mixed {
  weight: number | null
  sample: number | null
}

/** How many episodes each source gives, and how often a sampler draws its frames. */
export function Mixture({ datasetId, title, merge, preview, faults }: MixtureProps) {
  const weighing = getWeighing(merge)
  const set = (next: MergeDraft) => void changeMerge(datasetId, next)
  const sources = [
    { title, ...merge.own, onChange: (next: Partial<Mixed>) => set({ ...merge, own: { ...merge.own, ...next } }) },
    ...merge.others.map((other, place) => ({
      ...other,
      onChange: (next: Partial<Mixed>) => set(changeOther(merge, place, next)),
    })),
  ]
  const tasks = [
    ...new Set([
      ...(preview?.tasks ?? []).map(({ task }) => task),
      ...Object.keys({ ...merge.taskWeights, ...merge.taskSamples }),
    ]),
  ]
  const ofAll = faults.filter(
    ({ source, path }) => source === undefined && (path[0] === 'task_weights' || path[0] === 'task_samples'),
  )
  return (
    <section aria-label="Mixture">
      <div className="row wrap above-8 below-8">
        <span>Weights</span>
        <Segmented<Weighing>
          label="Weights"
          small
          value={weighing}
          options={[
            { value: 'none', label: 'None' },
            { value: 'source', label: 'By source' },
            { value: 'task', label: 'By task' },
          ]}
          onChange={(next) => set(weighBy(merge, next, tasks))}
        />
        <span className="mid small">
          {weighing === 'none'
            ? 'Every frame is drawn as often as any other.'
            : 'Every frame stays in the dataset once; meta/weights.parquet says how often to draw it.'}
        </span>
      </div>
      <ul className="mixture">
        {sources.map((source, place) => {
          const measured = preview?.sources[place]
          const own = faults.filter(
            (fault) => fault.source === place && (fault.path[0] === 'weight' || fault.path[0] === 'sample'),
          )
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a source is known by its place
            <li key={place}>
              <div className="mixture-title">
                <b className="break-anywhere">{source.title}</b>
                {measured && <span className="small dim">{plural(measured.episode_count, 'episode')}</span>}
              </div>
              <NumberField
                label={`Episodes of ${source.title}`}
                value={source.sample}
                placeholder="all"
                min={1}
                step={1}
                onChange={(sample) => source.onChange({ sample })}
              />
              {weighing === 'source' && (
                <NumberField
                  label={`Weight of ${source.title}`}
                  value={source.weight}
                  min={0}
                  step={0.5}
                  isRequired
                  onChange={(weight) => source.onChange({ weight })}
                />
              )}
              <div className="mixture-faults small">
                <LineFaults faults={own} />
              </div>
            </li>
          )
        })}
      </ul>
      <ul className="mixture above-12" aria-label="Tasks">
        {tasks.map((task) => (
          <li key={task}>
            <b className="break-anywhere mixture-title">{task === '' ? 'no text' : task}</b>
            <NumberField
              label={`Episodes of “${task}”`}
              value={merge.taskSamples?.[task] ?? null}
              placeholder="all"
              min={1}
              step={1}
              onChange={(count) => set({ ...merge, taskSamples: setTask(merge.taskSamples, task, count) })}
            />
            {merge.taskWeights && (
              <NumberField
                label={`Weight of “${task}”`}
                value={merge.taskWeights[task] ?? null}
                min={0}
                step={0.5}
                onChange={(weight) => set({ ...merge, taskWeights: setTask(merge.taskWeights, task, weight) ?? {} })}
              />
            )}
          </li>
        ))}
      </ul>
      {(merge.taskSamples || sources.some(({ sample }) => sample !== null)) && (
        <div className="max-width-340 above-12">
          <NumberField
            label="Seed: another one draws other episodes"
            value={merge.seed}
            min={0}
            step={1}
            isRequired
            onChange={(seed) => seed !== null && set({ ...merge, seed })}
          />
        </div>
      )}
      <div className="small above-8">
        <LineFaults faults={ofAll} />
      </div>
    </section>
  )
}

/** Null where nothing is said of any task. */
function setTask(said: Record<string, number> | null, task: string, value: number | null) {
  const { [task]: _, ...others } = said ?? {}
  const next = value === null ? others : { ...others, [task]: value }
  return Object.keys(next).length > 0 ? next : null
}
