import { useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import type { MergeDraft } from '../../data/recipe/merge-draft.ts'
import type { Recipe } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { Button, Segmented } from '../../parts/controls.tsx'
import { Empty } from '../../parts/states.tsx'
import { AddSource } from './add-source.tsx'
import { LineFaults } from './map-reason.tsx'
import { Mixture } from './mixture.tsx'
import { listSourceFaults, type SourceFault } from './source-faults.ts'
import { SourcePanel } from './source-panel.tsx'
import type { MergePreviewed } from './use-merge-preview.ts'

interface SourcesPaneProps {
  dataset: Manifest
  target: RecipeTarget
  recipe: Recipe
  merge: MergeDraft | null
  preview: MergePreviewed
  /** What the server said of them, if it refused. */
  error: unknown
}

/** Further datasets and versions in the result: how each one fits, and how much of each there is. */
export function SourcesPane({ dataset, target, recipe, merge, preview, error }: SourcesPaneProps) {
  const [shown, setShown] = useState('0')
  const [isAdding, setAdding] = useState(false)
  const faults = listSourceFaults(error)
  const others = merge?.others ?? []
  const place = Math.min(Number(shown), others.length - 1)
  const source = others[place]
  const isMixture = shown === 'mixture' && merge !== null
  const countFaults = (at: number) => faults.filter((fault) => fault.source === at).length
  return (
    <section aria-label="Sources">
      <div className="row height-36">
        <h2>Sources</h2>
        <span className="dim desktop-only clip">{dataset.title} is the first; the others are made to fit it</span>
        <Button small className="end" icon="plus" onClick={() => setAdding(true)}>
          Add a source
        </Button>
      </div>
      {merge && (
        <div className="small">
          <LineFaults faults={faults.filter(isOfNoLine)} />
        </div>
      )}
      {isAdding && (
        <AddSource
          datasetId={dataset.id}
          target={target}
          onClose={() => setAdding(false)}
          onAdded={(at) => {
            setShown(String(at))
            setAdding(false)
          }}
        />
      )}
      {!merge && (
        <Empty title="This dataset is the only source">
          Add others, of this project or public: their cameras, features, units and task texts are brought to these
          names, and the result is one dataset that trains at once.
        </Empty>
      )}
      {merge && (
        <div className="max-full-width scroll-x">
          <Segmented
            label="What is shown"
            value={isMixture ? 'mixture' : String(place)}
            options={[
              ...others.map(({ title }, at) => ({
                value: String(at),
                label: countFaults(at + 1) > 0 ? `${title}: ${countFaults(at + 1)} to look at` : title,
              })),
              { value: 'mixture', label: 'Mixture' },
            ]}
            onChange={setShown}
          />
        </div>
      )}
      {isMixture && (
        <Mixture datasetId={dataset.id} title={dataset.title} merge={merge} preview={preview.result} faults={faults} />
      )}
      {merge && source && !isMixture && (
        <SourcePanel
          key={`${place} ${source.dataset_id}`}
          {...{ dataset, target, recipe, merge, place, source, faults }}
        />
      )}
      {merge && <p className="small mid above-12">The sources are kept in your draft, as the recipe is.</p>}
    </section>
  )
}

/** Of all of them together, or of the first source itself: neither has lines of a map. */
const isOfNoLine = ({ source, path: [key] }: SourceFault): boolean =>
  source === undefined
    ? key !== 'task_weights' && key !== 'task_samples'
    : source === 0 && key !== 'map' && key !== 'weight' && key !== 'sample'
