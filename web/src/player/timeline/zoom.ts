import { createStore, type Store, useStore } from '../../session/store.ts'

interface Share {
  from: number
  to: number
}

const whole: Share = { from: 0, to: 1 }
/** So many frames are the closest look. */
const fewestFrames = 16

/** The part of the episode that the timeline shows, as a share of its length; the next episode keeps it. */
export class ZoomWindow {
  readonly share: Store<Share> = createStore(whole)

  get isZoomed(): boolean {
    const { from, to } = this.share.get()
    return to - from < 0.9999
  }

  set(from: number, to: number, frames: number): void {
    const narrowest = Math.min(1, fewestFrames / Math.max(1, frames - 1))
    const width = Math.min(1, Math.max(narrowest, to - from))
    const start = Math.max(0, Math.min(1 - width, from + (to - from - width) / 2))
    this.#change(width >= 1 ? whole : { from: start, to: start + width })
  }

  /** So that two frames are the edges. */
  show(fromFrame: number, toFrame: number, frames: number): void {
    const last = Math.max(1, frames - 1)
    this.set(fromFrame / last, toFrame / last, frames)
  }

  /** `factor` below 1 looks closer; the place `anchor` (share of the episode) stays where it is. */
  scale(factor: number, anchor: number, frames: number): void {
    const { from, to } = this.share.get()
    const narrowest = fewestFrames / Math.max(1, frames - 1)
    const width = Math.min(1, Math.max(narrowest, (to - from) * factor))
    const at = (anchor - from) / (to - from)
    this.set(anchor - at * width, anchor + (1 - at) * width, frames)
  }

  move(by: number, frames: number): void {
    const { from, to } = this.share.get()
    this.set(from + by, to + by, frames)
  }

  /** Turns the page when the playhead has left the window. */
  follow(share: number, frames: number): void {
    const { from, to } = this.share.get()
    if (share > to) this.move(share - from, frames)
    else if (share < from) this.move(share - from, frames)
  }

  reset = (): void => this.#change(whole)

  #change(next: Share): void {
    const { from, to } = this.share.get()
    if (next.from !== from || next.to !== to) this.share.set(next)
  }
}

const windows = new Map<string, ZoomWindow>()

export function getZoom(datasetId: string): ZoomWindow {
  const known = windows.get(datasetId) ?? new ZoomWindow()
  windows.set(datasetId, known)
  return known
}

export const useZoomShare = (zoom: ZoomWindow): Share => useStore(zoom.share)
