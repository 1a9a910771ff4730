import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { groupLanes, planLanes } from '../data/lanes.ts'

interface Kept {
  rate: number
  isLooping: boolean
  isDifference: boolean
  mainCamera: string | undefined
  hiddenLanes: ReadonlySet<string>
  foldedGroups: ReadonlySet<string>
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
}

const kept = new Map<string, Kept>()
/** More dimensions than this begin with all groups but the first folded. */
const manyLanes = 16

function begin(dataset: Manifest): Kept {
  const lanes = planLanes(dataset)
  const groups = groupLanes(lanes).flatMap(({ name }) => name ?? [])
  return {
    rate: 1,
    isLooping: false,
    isDifference: false,
    mainCamera: undefined,
    hiddenLanes: new Set(),
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
      if (hiddenLanes.size < planLanes(dataset).length) change({ hiddenLanes })
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
  }
}
