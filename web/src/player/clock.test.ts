import { beforeEach, describe, expect, test, vi } from 'vitest'
import { PlayerClock } from './clock.ts'

/** The screen: drawings are asked for and made when the test says so. */
let drawings: ((now: number) => void)[] = []
let now = 0
vi.stubGlobal('requestAnimationFrame', (draw: (now: number) => void) => drawings.push(draw))
vi.stubGlobal('cancelAnimationFrame', () => {
  drawings = []
})
vi.spyOn(performance, 'now').mockImplementation(() => now)
const drawAfter = (ms: number) => {
  now += ms
  for (const draw of drawings.splice(0)) draw(now)
}

/** What of a video element the clock touches. */
class Video extends EventTarget {
  currentTime = 0
  playbackRate = 1
  readyState = 4
  seeking = false
  paused = true
  dataset: Record<string, string> = {}
  #report: ((now: number, frame: { mediaTime: number }) => void) | undefined
  play = async () => {
    this.paused = false
  }
  pause = () => {
    this.paused = true
  }
  requestVideoFrameCallback = (report: (now: number, frame: { mediaTime: number }) => void) => {
    this.#report = report
    return 1
  }
  cancelVideoFrameCallback = () => {}
  /** The browser shows the picture of this second. */
  show(mediaTime: number) {
    this.currentTime = mediaTime
    this.#report?.(now, { mediaTime })
  }
}
const attach = (clock: PlayerClock, camera: string, video: Video, fromSec = 0) =>
  clock.attach(camera, video as unknown as HTMLVideoElement, fromSec)

beforeEach(() => {
  drawings = []
  now = 1000
})

describe('without video', () => {
  test('frames follow the time and the rate, and stand at the last one', () => {
    const clock = new PlayerClock(10, 21)
    const seen: number[] = []
    clock.onFrame((frame) => seen.push(frame))
    clock.play()
    drawAfter(500)
    expect(clock.frame).toBe(5)
    clock.setRate(2)
    drawAfter(500)
    expect(clock.frame).toBe(15)
    drawAfter(5000)
    expect([clock.frame, clock.isPlaying]).toEqual([20, false])
    expect(seen[0]).toBe(0)
    expect(seen.at(-1)).toBe(20)
  })

  test('a loop goes back to the first mark, and play at the end begins anew', () => {
    const clock = new PlayerClock(10, 100)
    clock.setLooping(true)
    clock.mark(20, 30)
    clock.seek(29)
    clock.play()
    drawAfter(500)
    expect([clock.frame, clock.isPlaying]).toEqual([20, true])
    clock.pause()
    clock.setLooping(false)
    clock.seek(99)
    clock.play()
    expect(clock.frame).toBe(0)
    clock.close()
  })
})

test('no frame is before the first or after the last', () => {
  const clock = new PlayerClock(30, 50)
  clock.seek(-3)
  expect(clock.frame).toBe(0)
  clock.step(1000)
  expect([clock.frame, clock.seconds]).toEqual([49, 49 / 30])
  expect(new PlayerClock(30, 0).last).toBe(0)
})

test('marks that are crossed are exchanged, and lie inside the episode', () => {
  const clock = new PlayerClock(30, 50)
  clock.mark(40, 10)
  expect([clock.inFrame, clock.outFrame]).toEqual([10, 40])
  clock.mark(-5, 500)
  expect([clock.inFrame, clock.outFrame]).toEqual([0, 49])
  clock.choose(7, 9)
  expect([clock.frame, clock.chosenStart, clock.inFrame, clock.outFrame]).toEqual([7, 7, 7, 9])
  clock.mark(undefined, undefined)
  expect([clock.hasRange, clock.chosenStart]).toEqual([false, undefined])
})

describe('with cameras', () => {
  test('stand in the middle of the same frame, from where the episode begins in each file', () => {
    const clock = new PlayerClock(20, 100)
    const [top, wrist] = [new Video(), new Video()]
    attach(clock, 'top', top, 3)
    attach(clock, 'wrist', wrist, 11)
    clock.seek(10)
    expect([top.currentTime, wrist.currentTime]).toEqual([3 + 10.5 / 20, 11 + 10.5 / 20])
  })

  test('a camera that is seeking is put on the newest frame when it is done', () => {
    const clock = new PlayerClock(20, 100)
    const video = new Video()
    attach(clock, 'top', video)
    video.seeking = true
    clock.seek(4)
    clock.seek(8)
    expect(video.currentTime).toBe(0.5 / 20)
    video.seeking = false
    video.dispatchEvent(new Event('seeked'))
    expect(video.currentTime).toBe(8.5 / 20)
  })

  test('the leading camera sets the frame; one far behind is brought up, one a little behind runs faster', () => {
    const clock = new PlayerClock(20, 400)
    const [leader, near, far] = [new Video(), new Video(), new Video()]
    attach(clock, 'a', leader)
    attach(clock, 'b', near)
    attach(clock, 'c', far)
    clock.play()
    near.currentTime = 4.95
    far.currentTime = 2
    leader.show(5)
    expect([clock.frame, clock.getShownFrame('a')]).toEqual([100, 100])
    expect(near.playbackRate).toBeGreaterThan(1)
    expect(far.currentTime).toBe(101 / 20)
    clock.pause()
    expect([leader.paused, near.paused, far.paused]).toEqual([true, true, true])
    expect(near.currentTime).toBe(leader.currentTime)
  })

  test('playing ends before the file shows the next episode', () => {
    const clock = new PlayerClock(20, 40)
    const video = new Video()
    attach(clock, 'top', video)
    clock.play()
    video.currentTime = 1.95
    drawAfter(16)
    expect(clock.isPlaying).toBe(true)
    // Less than one and a half drawings of the screen are left of the last frame.
    video.currentTime = 1.98
    drawAfter(16)
    expect([clock.isPlaying, clock.frame, video.paused]).toEqual([false, 39, true])
    expect(video.currentTime).toBe(39.5 / 20)
  })

  test('a camera that is gone is no longer moved', () => {
    const clock = new PlayerClock(20, 40)
    const video = new Video()
    const detach = attach(clock, 'top', video)
    detach()
    const before = video.currentTime
    clock.seek(30)
    expect([video.currentTime, clock.getShownFrame('top')]).toEqual([before, -1])
  })
})

test('listeners hear of play, rate and marks, and can leave', () => {
  const clock = new PlayerClock(20, 40)
  let heard = 0
  const stop = clock.changes.subscribe(() => heard++)
  clock.toggle()
  clock.toggle()
  clock.setRate(2)
  expect([heard, clock.changes.get()]).toEqual([3, 3])
  stop()
  clock.mark(1, 2)
  expect(heard).toBe(3)
})
