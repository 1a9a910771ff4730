import { useState } from 'react'
import type { Manifest } from '../dataset/queries.ts'
import { planLanes } from './lanes.ts'

/** What the next episode keeps: the camera, the speed, the zoom, the dimensions. */
export interface PlayerView {
  rate: number
  isLooping: boolean
  isDifference: boolean
  mainCamera: string | undefined
  hiddenLanes: ReadonlySet<string>
  /** Share of the episode that is shown, 0 to 1. */
  zoom: { from: number; to: number }
  setRate(rate: number): void
  setLooping(isLooping: boolean): void
  toggleDifference(): void
  setMainCamera(camera: string): void
  nextCamera(): void
  toggleLane(key: string): void
  setZoom(from: number, to: number): void
  zoomTo(fromFrame: number, toFrame: number, frames: number): void
  resetZoom(): void
}

interface Kept {
  rate: number
  isLooping: boolean
  isDifference: boolean
  mainCamera: string | undefined
  hiddenLanes: ReadonlySet<string>
  zoom: { from: number; to: number }
}

const whole = { from: 0, to: 1 }
const kept = new Map<string, Kept>()
const first: Kept = {
  rate: 1,
  isLooping: false,
  isDifference: false,
  mainCamera: undefined,
  hiddenLanes: new Set(),
  zoom: whole,
}

export function usePlayerView(dataset: Manifest): PlayerView {
  const [state, setState] = useState(() => kept.get(dataset.id) ?? first)
  const change = (next: Partial<Kept>) => {
    const merged = { ...(kept.get(dataset.id) ?? state), ...next }
    kept.set(dataset.id, merged)
    setState(merged)
  }
  const cameras = dataset.observation.cameras.map(({ key }) => key)
  const main = state.mainCamera && cameras.includes(state.mainCamera) ? state.mainCamera : cameras[0]
  const setZoom = (from: number, to: number) => {
    const width = Math.min(1, Math.max(0.002, to - from))
    const start = Math.max(0, Math.min(1 - width, from))
    change({ zoom: { from: start, to: start + width } })
  }
  return {
    ...state,
    mainCamera: main,
    setRate: (rate) => change({ rate }),
    setLooping: (isLooping) => change({ isLooping }),
    toggleDifference: () => change({ isDifference: !state.isDifference }),
    setMainCamera: (mainCamera) => change({ mainCamera }),
    nextCamera: () => change({ mainCamera: cameras[(cameras.indexOf(main ?? '') + 1) % Math.max(1, cameras.length)] }),
    toggleLane: (key) => {
      const hiddenLanes = new Set(state.hiddenLanes)
      if (!hiddenLanes.delete(key)) hiddenLanes.add(key)
      if (hiddenLanes.size < planLanes(dataset).length) change({ hiddenLanes })
    },
    setZoom,
    zoomTo: (fromFrame, toFrame, frames) =>
      setZoom(fromFrame / Math.max(1, frames - 1), toFrame / Math.max(1, frames - 1)),
    resetZoom: () => change({ zoom: whole }),
  }
}
