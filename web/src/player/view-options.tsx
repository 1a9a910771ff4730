import type { Manifest } from '../data/dataset.ts'
import { groupLanes, planLanes } from '../data/lanes.ts'
import { Button, Check, Segmented, Switch } from '../parts/controls.tsx'
import type { PlayerView } from './view.ts'
import './view-options.css'

interface ViewOptionsProps {
  dataset: Manifest
  view: PlayerView
  isLooping: boolean
  onLoop(): void
}

/** What the transport has no room for on a phone. */
export function ViewOptions({ dataset, view, isLooping, onLoop }: ViewOptionsProps) {
  const lanes = planLanes(dataset)
  return (
    <section className="view-options" aria-label="What is shown">
      <h3>View</h3>
      <div className="row above-8 wrap">
        <Segmented
          label="Lanes show"
          value={view.isDifference ? 'difference' : 'overlay'}
          onChange={(next) => {
            if ((next === 'difference') !== view.isDifference) view.toggleDifference()
          }}
          options={[
            { value: 'overlay', label: 'Overlay' },
            { value: 'difference', label: 'Difference' },
          ]}
        />
        <span className="row end">
          <span className="mid">Loop</span>
          <Switch label="Loop in to out" checked={isLooping} onChange={onLoop} />
        </span>
      </div>
      {lanes.length > 1 && (
        <>
          <div className="row above-12">
            <h3>Dimensions</h3>
            {groupLanes(lanes).map(
              ({ name, lanes: members }) =>
                name && (
                  <Button key={name} small onClick={() => view.showLanes(members.map(({ key }) => key))}>
                    only {name}
                  </Button>
                ),
            )}
            {view.hiddenLanes.size > 0 && (
              <Button small className="end" onClick={() => view.showLanes(lanes.map(({ key }) => key))}>
                All
              </Button>
            )}
          </div>
          <div className="view-dimensions">
            {lanes.map(({ key, label }) => (
              <label key={key} className="row">
                <Check checked={!view.hiddenLanes.has(key)} onChange={() => view.toggleLane(key)} />
                <span className="clip">{label.replaceAll('_', ' ')}</span>
              </label>
            ))}
          </div>
        </>
      )}
    </section>
  )
}
