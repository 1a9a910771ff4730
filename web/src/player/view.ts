import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { groupLanes, type LaneRange, laneRanges, planLanes } from '../data/episodes/lanes.ts'

interface Kept {
  rate: number
  isLooping: boolean
  isDifference: boolean
  mainCamera: string | undefined
  hiddenLanes: ReadonlySet<string>
  foldedGroups: ReadonlySet<string>
  /** Columns beside state and action. */
  columns: readonly string[]
  range: LaneRange
}

/** What the next episode keeps: the camera, the speed, the dimensions (and the zoom, which is a thing of its own). */
export interface PlayerView extends Kept {
  setRate(rate: number): void
  setLooping(isLooping: boolean): void
  toggleDifference(): void
  setMainCamera(camera: string): void
  nextCamera(): void
  toggleLane(key: string): void
  showLanes(keys: readonly string[]): void
  toggleGroup(name: string): void
  toggleColumn(name: string): void
  setRange(range: LaneRange): void
}

const kept = new Map<string, Kept>()
/** What this browser knows of a dataset's lanes the next time. */
const keyOf = (datasetId: string) => `nmp.lanes.${datasetId}`

interface Remembered {
  hiddenLanes: string[]
  columns: string[]
  range: LaneRange
}

function recall(datasetId: string): Remembered {
  const stored = JSON.parse(localStorage.getItem(keyOf(datasetId)) ?? '{}') as Partial<Remembered>
  return {
    hiddenLanes: stored.hiddenLanes ?? [],
    columns: stored.columns ?? [],
    range: laneRanges.find((one) => one === stored.range) ?? 'shown',
  }
}

function remember(datasetId: string, { hiddenLanes, columns, range }: Kept): void {
  const lanes: Remembered = { hiddenLanes: [...hiddenLanes], columns: [...columns], range }
  try {
    localStorage.setItem(keyOf(datasetId), JSON.stringify(lanes))
  } catch {
    // A full store only means that the choice lives as long as the tab.
  }
}

/** More dimensions than this begin with all groups but the first folded. */
const manyLanes = 16

function begin(dataset: Manifest): Kept {
  const lanes = planLanes(dataset)
  const groups = groupLanes(lanes).flatMap(({ name }) => name ?? [])
  const { hiddenLanes, columns, range } = recall(dataset.id)
  const known = hiddenLanes.filter((key) => lanes.some((lane) => lane.key === key))
  return {
    rate: 1,
    isLooping: false,
    isDifference: false,
    mainCamera: undefined,
    hiddenLanes: new Set(known),
    columns,
    range,
    foldedGroups: new Set(lanes.length > manyLanes ? groups.slice(1) : []),
  }
}

const toggled = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  const next = new Set(set)
  if (!next.delete(key)) next.add(key)
  return next
}

export function usePlayerView(dataset: Manifest): PlayerView {
  const [state, setState] = useState(() => kept.get(dataset.id) ?? begin(dataset))
  const change = (next: Partial<Kept>) => {
    const merged = { ...(kept.get(dataset.id) ?? state), ...next }
    kept.set(dataset.id, merged)
    if (next.hiddenLanes || next.columns || next.range) remember(dataset.id, merged)
    setState(merged)
  }
  const cameras = dataset.observation.cameras.map(({ key }) => key)
  const main = state.mainCamera && cameras.includes(state.mainCamera) ? state.mainCamera : cameras[0]
  return {
    ...state,
    mainCamera: main,
    setRate: (rate) => change({ rate }),
    setLooping: (isLooping) => change({ isLooping }),
    toggleDifference: () => change({ isDifference: !state.isDifference }),
    setMainCamera: (mainCamera) => change({ mainCamera }),
    nextCamera: () => change({ mainCamera: cameras[(cameras.indexOf(main ?? '') + 1) % Math.max(1, cameras.length)] }),
    toggleLane: (key) => {
      const hiddenLanes = toggled(state.hiddenLanes, key)
      if (hiddenLanes.size < planLanes(dataset).length + state.columns.length) change({ hiddenLanes })
    },
    showLanes: (keys) =>
      change({
        hiddenLanes: new Set(
          planLanes(dataset)
            .map(({ key }) => key)
            .filter((key) => !keys.includes(key)),
        ),
      }),
    toggleGroup: (name) => change({ foldedGroups: toggled(state.foldedGroups, name) }),
    toggleColumn: (name) => change({ columns: [...toggled(new Set(state.columns), name)] }),
    setRange: (range) => change({ range }),
  }
}
