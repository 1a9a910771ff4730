import type { Manifest } from '../data/dataset.ts'
import { groupLanes, planLanes } from '../data/lanes.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx'
import type { PlayerView } from './view.ts'

export function LanePicker({ dataset, view }: { dataset: Manifest; view: PlayerView }) {
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
