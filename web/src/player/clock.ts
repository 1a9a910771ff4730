import { createStore, type Store } from '../session/store.ts'

interface Track {
  video: HTMLVideoElement
  /** Second of the file at which the episode begins. */
  fromSec: number
  pendingFrame: number | undefined
  shownFrame: number
  callback: number
}

const farSeconds = 0.25

/**
 * One clock for all cameras of an episode. It counts in frames; a camera shows frame i in the middle of its time, so that no
 * rounding can show the one beside it. The first camera that can play leads, the others follow it, and when it stands they
 * are all put on the very same frame. Files hold many episodes: nothing plays past the last frame of this one.
 */
export class PlayerClock {
  readonly fps: number
  readonly frames: number
  frame = 0
  isPlaying = false
  isLooping = false
  rate = 1
  inFrame: number | undefined
  outFrame: number | undefined
  /** First frame of the segment that the marks lie on, while it is being changed. */
  chosenStart: number | undefined
  /** How often anything but the frame has changed: what React renders by. */
  readonly changes: Store<number> = createStore(0)
  readonly #tracks = new Map<string, Track>()
  readonly #frameListeners = new Set<(frame: number) => void>()
  #timer = 0

  constructor(fps: number, frames: number) {
    this.fps = fps
    this.frames = frames
  }

  /** Called for every frame: draw with it, do not render React with it. */
  onFrame(listener: (frame: number) => void): () => void {
    this.#frameListeners.add(listener)
    listener(this.frame)
    return () => this.#frameListeners.delete(listener)
  }

  get seconds(): number {
    return this.frame / this.fps
  }
  get hasRange(): boolean {
    return this.inFrame !== undefined || this.outFrame !== undefined
  }
  get last(): number {
    return Math.max(0, this.frames - 1)
  }

  attach(camera: string, video: HTMLVideoElement, fromSec: number): () => void {
    const track: Track = { video, fromSec, pendingFrame: undefined, shownFrame: -1, callback: 0 }
    this.#tracks.set(camera, track)
    // An element may come from the episode before.
    video.pause()
    video.playbackRate = this.rate
    delete video.dataset.shown
    const settle = () => {
      const { pendingFrame } = track
      track.pendingFrame = undefined
      if (pendingFrame !== undefined && !this.isPlaying) this.#place(track, pendingFrame)
    }
    const begin = () => this.#place(track, this.frame)
    video.addEventListener('seeked', settle)
    video.addEventListener('loadedmetadata', begin)
    if (video.readyState >= 1) begin()
    this.#watch(camera, track)
    return () => {
      video.removeEventListener('seeked', settle)
      video.removeEventListener('loadedmetadata', begin)
      video.cancelVideoFrameCallback?.(track.callback)
      if (this.#tracks.get(camera) === track) this.#tracks.delete(camera)
    }
  }

  /** The frame a camera really shows, as the browser reported it; -1 before the first. */
  getShownFrame(camera: string): number {
    return this.#tracks.get(camera)?.shownFrame ?? -1
  }

  seek(frame: number): void {
    this.#setFrame(frame)
    for (const track of this.#tracks.values()) this.#place(track, this.frame)
  }

  step(frames: number): void {
    this.pause()
    this.seek(this.frame + frames)
  }

  play(): void {
    if (this.isPlaying) return
    const [first, bound] = this.#bounds()
    if (this.frame >= bound) this.seek(first)
    this.isPlaying = true
    for (const { video } of this.#tracks.values()) {
      video.playbackRate = this.rate
      video.play().catch(() => {})
    }
    if (this.#tracks.size === 0) this.#runWithoutVideo()
    else this.#timer = requestAnimationFrame(this.#keepInside)
    this.#changed()
  }

  pause(): void {
    if (!this.isPlaying) return
    this.isPlaying = false
    cancelAnimationFrame(this.#timer)
    for (const { video } of this.#tracks.values()) video.pause()
    this.seek(this.frame)
    this.#changed()
  }

  toggle(): void {
    if (this.isPlaying) this.pause()
    else this.play()
  }

  setRate(rate: number): void {
    this.rate = rate
    for (const { video } of this.#tracks.values()) video.playbackRate = rate
    this.#changed()
  }

  setLooping(isLooping: boolean): void {
    this.isLooping = isLooping
    this.#changed()
  }

  mark(inFrame: number | undefined, outFrame: number | undefined): void {
    const clamp = (frame: number | undefined) =>
      frame === undefined ? undefined : Math.max(0, Math.min(this.last, frame))
    const [one, other] = [clamp(inFrame), clamp(outFrame)]
    const isCrossed = one !== undefined && other !== undefined && one > other
    this.inFrame = isCrossed ? other : one
    this.outFrame = isCrossed ? one : other
    if (!this.hasRange) this.chosenStart = undefined
    this.#changed()
  }

  /** Goes to a segment and lays the marks on its edges. */
  choose(startFrame: number, lastFrame: number): void {
    this.pause()
    this.seek(startFrame)
    this.chosenStart = startFrame
    this.mark(startFrame, lastFrame)
  }

  close(): void {
    this.isPlaying = false
    cancelAnimationFrame(this.#timer)
    for (const { video } of this.#tracks.values()) video.pause()
  }

  #bounds(): [number, number] {
    return this.isLooping ? [this.inFrame ?? 0, this.outFrame ?? this.last] : [0, this.last]
  }

  #setFrame(frame: number): void {
    this.frame = Math.max(0, Math.min(this.last, Math.round(frame)))
    for (const listener of this.#frameListeners) listener(this.frame)
  }

  #changed(): void {
    this.changes.set(this.changes.get() + 1)
  }

  #place(track: Track, frame: number): void {
    if (track.video.readyState < 1 || track.video.seeking) {
      track.pendingFrame = frame
      return
    }
    const want = track.fromSec + (frame + 0.5) / this.fps
    if (Math.abs(track.video.currentTime - want) > 1e-4) track.video.currentTime = want
  }

  #watch(camera: string, track: Track): void {
    if (!track.video.requestVideoFrameCallback) return
    const shown = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
      track.callback = track.video.requestVideoFrameCallback(shown)
      track.shownFrame = Math.round((mediaTime - track.fromSec) * this.fps)
      track.video.dataset.shown = String(track.shownFrame)
      if (this.isPlaying && this.#leader() === camera) this.#advance(track.shownFrame)
    }
    track.callback = track.video.requestVideoFrameCallback(shown)
  }

  #leader(): string | undefined {
    for (const [camera, { video }] of this.#tracks) if (video.readyState >= 2) return camera
    return undefined
  }

  /** Frames that may pass before the next look: half as much again as one drawing of the screen. */
  get #aheadFrames(): number {
    return ((this.rate * this.fps) / 60) * 1.5
  }

  #advance(frame: number): void {
    const [first, bound] = this.#bounds()
    if (frame >= bound) {
      this.#end(first, bound)
      return
    }
    this.#setFrame(Math.max(0, frame))
    this.#followLeader(frame)
  }

  #end(first: number, bound: number): void {
    if (this.isLooping) {
      this.seek(first)
      return
    }
    this.frame = bound
    this.pause()
  }

  /**
   * The next frame of the file may be another episode's, so the end is met before it comes, on the screen's own beat: reports of
   * shown frames come too late. A camera that runs ahead of the leading one waits for it.
   */
  #keepInside = (): void => {
    if (!this.isPlaying) return
    const [first, bound] = this.#bounds()
    const leader = this.#leader()
    for (const [camera, { video, fromSec }] of this.#tracks) {
      if (video.seeking || video.readyState < 2) continue
      const at = (video.currentTime - fromSec) * this.fps
      if (camera === leader) {
        if (at + this.#aheadFrames >= bound + 1) this.#end(first, bound)
      } else if (at + this.#aheadFrames >= bound + 1 || at - this.frame > farSeconds * this.fps) video.pause()
    }
    if (this.isPlaying) this.#timer = requestAnimationFrame(this.#keepInside)
  }

  #followLeader(frame: number): void {
    const leader = this.#leader()
    const [, bound] = this.#bounds()
    for (const [camera, track] of this.#tracks) {
      if (camera === leader || track.video.seeking || track.video.readyState < 2) continue
      const behind = frame / this.fps - (track.video.currentTime - track.fromSec)
      if (Math.abs(behind) > farSeconds) track.video.currentTime = track.fromSec + (frame + 1) / this.fps
      else track.video.playbackRate = Math.max(0.0625, this.rate * (1 + Math.max(-0.3, Math.min(0.3, behind * 2))))
      const isAtEnd = frame + 2 * this.#aheadFrames + 1 >= bound
      if (track.video.paused && !isAtEnd) track.video.play().catch(() => {})
    }
  }

  /** Cameras stored as pictures, or none at all: the screen's own clock. */
  #runWithoutVideo(): void {
    let before = performance.now()
    let exact = this.frame
    const tick = (now: number) => {
      if (!this.isPlaying) return
      exact += ((now - before) / 1000) * this.fps * this.rate
      before = now
      const [first, bound] = this.#bounds()
      if (exact >= bound) {
        if (!this.isLooping) {
          this.frame = bound
          this.pause()
          return
        }
        exact = first
      }
      this.#setFrame(Math.floor(exact))
      this.#timer = requestAnimationFrame(tick)
    }
    this.#timer = requestAnimationFrame(tick)
  }
}
