import { getRouteApi } from '@tanstack/react-router'
import { useManifest } from '../dataset/queries.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck, MenuLabel } from '../parts/menu.tsx'
import { planLanes } from './lanes.ts'
import type { PlayerView } from './view.ts'

const routeApi = getRouteApi('/datasets/$datasetId/episodes/$episode')

export function LanePicker({ view }: { view: PlayerView }) {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const lanes = dataset ? planLanes(dataset) : []
  if (lanes.length === 0) return null
  const shown = lanes.filter(({ key }) => !view.hiddenLanes.has(key)).length
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
      <MenuLabel>Dimensions shown</MenuLabel>
      {lanes.map((lane) => (
        <MenuCheck key={lane.key} checked={!view.hiddenLanes.has(lane.key)} onChange={() => view.toggleLane(lane.key)}>
          {lane.label}
        </MenuCheck>
      ))}
    </Menu>
  )
}
