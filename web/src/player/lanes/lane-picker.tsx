import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { groupLanes, type LaneRange, laneRanges, planLanes } from '../../data/episodes/lanes.ts'
import { mostLines, type PlottedColumn } from '../../data/episodes/plotted-columns.ts'
import { isVersionId } from '../../data/version-id.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuLine } from '../../parts/menu.tsx'
import { canEdit } from '../../session/workspace.ts'
import type { PlayerView } from '../view.ts'
import { usePlottedColumns } from './use-plotted-columns.ts'

interface PickerProps {
  dataset: Manifest
  view: PlayerView
}

export const rangeNames: Record<LaneRange, string> = {
  shown: 'What is shown',
  episode: 'The episode',
  dataset: 'The dataset',
}

export function LanePicker({ dataset, view }: PickerProps) {
  const lanes = planLanes(dataset)
  if (lanes.length === 0) return null
  const groups = groupLanes(lanes)
  const shown = lanes.filter(({ key }) => !view.hiddenLanes.has(key)).length
  const hasGroups = groups.length > 1
  return (
    <Menu
      align="end"
      trigger={
        <Button small>
          {shown} of {lanes.length} dimensions
          <Icon name="down" small />
        </Button>
      }
    >
      {shown < lanes.length && (
        <>
          <MenuItem onSelect={() => view.showLanes(lanes.map(({ key }) => key))}>Show all</MenuItem>
          <MenuLine />
        </>
      )}
      {hasGroups && (
        <>
          {groups.map(({ name, lanes: members }) => (
            <MenuItem key={name} onSelect={() => view.showLanes(members.map(({ key }) => key))}>
              Only {name}
            </MenuItem>
          ))}
          <MenuLine />
        </>
      )}
      <MenuLabel>Dimensions shown</MenuLabel>
      {lanes.map((lane) => (
        <MenuCheck key={lane.key} checked={!view.hiddenLanes.has(lane.key)} onChange={() => view.toggleLane(lane.key)}>
          {lane.label}
        </MenuCheck>
      ))}
    </Menu>
  )
}

/** Every other column of the dataset, and what the axes span. */
export function ColumnPicker({ dataset, view }: PickerProps) {
  const [isOpen, setOpen] = useState(false)
  const columns = usePlottedColumns(dataset, isOpen || view.columns.length > 0)
  return (
    <Menu
      align="end"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button small>
          Columns{view.columns.length > 0 && ` +${view.columns.length}`}
          <Icon name="down" small />
        </Button>
      }
    >
      <MenuLabel>Plot beside state and action</MenuLabel>
      {columns?.map((column) => (
        <MenuCheck
          key={column.name}
          checked={view.columns.includes(column.name)}
          disabled={column.labels.length > mostLines}
          onChange={() => view.toggleColumn(column.name)}
        >
          {describeColumn(column)}
        </MenuCheck>
      ))}
      {columns?.length === 0 && <MenuItem disabled>There are no others</MenuItem>}
      <MenuLine />
      <MenuLabel>Axes span</MenuLabel>
      {laneRanges.map((range) => (
        <MenuCheck key={range} checked={view.range === range} onChange={() => view.setRange(range)}>
          {rangeNames[range]}
        </MenuCheck>
      ))}
      {canEdit(dataset.role) && !isVersionId(dataset.id) && (
        <>
          <MenuLine />
          <MenuLabel>
            State is {dataset.observation.state?.key ?? 'none'}, action {dataset.action?.key ?? 'none'}
          </MenuLabel>
          <MenuItem asChild>
            <Link to="/datasets/$datasetId/manage" params={{ datasetId: dataset.id }} hash="state-and-action">
              Set state and action…
            </Link>
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

export function describeColumn({ name, isText, labels }: PlottedColumn): string {
  if (isText) return `${name}, words`
  if (labels.length === 1) return name
  const size = `${name}, ${formatCount(labels.length)} values`
  return labels.length > mostLines ? `${size}: too many to plot` : size
}
