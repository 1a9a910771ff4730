import type { Manifest } from '../data/dataset.ts'
import { groupLanes, hasPairs, laneRanges, planLanes } from '../data/episodes/lanes.ts'
import { mostLines } from '../data/episodes/plotted-columns.ts'
import { Button, Check, Segmented, Switch } from '../parts/controls.tsx'
import { describeColumn, rangeNames } from './lanes/lane-picker.tsx'
import { usePlottedColumns } from './lanes/use-plotted-columns.ts'
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
  const columns = usePlottedColumns(dataset, true)
  return (
    <section className="view-options" aria-label="What is shown">
      <h3>View</h3>
      <div className="row above-8 wrap">
        {hasPairs(lanes) && (
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
        )}
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
      {columns && columns.length > 0 && (
        <>
          <h3 className="above-12">Columns</h3>
          <div className="view-dimensions">
            {columns.map((column) => (
              <label key={column.name} className="row">
                <Check
                  checked={view.columns.includes(column.name)}
                  disabled={column.labels.length > mostLines}
                  onChange={() => view.toggleColumn(column.name)}
                />
                <span className="clip">{describeColumn(column)}</span>
              </label>
            ))}
          </div>
        </>
      )}
      <h3 className="above-12">Axes span</h3>
      <div className="row above-8">
        <Segmented
          label="Axes span"
          value={view.range}
          onChange={view.setRange}
          options={laneRanges.map((range) => ({ value: range, label: rangeNames[range] }))}
        />
      </div>
    </section>
  )
}
