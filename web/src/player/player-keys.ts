import { type FlagReason, flagReasons } from '../data/flags.ts'
import { useKeys } from '../session/keys.ts'
import type { PlayerClock } from './clock.ts'
import { rates } from './timeline/transport.tsx'
import type { ZoomWindow } from './timeline/zoom.ts'
import type { PlayerView } from './view.ts'

interface Commands {
  flag(): void
  exclude(): void
  keepOnly(): void
  cutOut(): void
  splitHere(): void
  showRests(): void
  showScene(): void
  open(which: 'previous' | 'next'): void
  startRecipe(): void
  setReason(reason: FlagReason): void
  setRate(rate: number): void
  toggleLoop(): void
}

/** Every control of the player by a key; `?` lists them. */
export function usePlayerKeys(clock: PlayerClock, view: PlayerView, zoom: ZoomWindow, commands: Commands): void {
  const second = Math.max(1, Math.round(clock.fps))
  const changeRate = (step: number) => {
    const at = rates.indexOf(clock.rate as (typeof rates)[number])
    commands.setRate(rates[Math.max(0, Math.min(rates.length - 1, at + step))] ?? 1)
  }
  const closer = (factor: number) => zoom.scale(factor, clock.frame / Math.max(1, clock.last), clock.frames)
  useKeys({
    ' ': () => clock.toggle(),
    ',': () => clock.step(-1),
    '.': () => clock.step(1),
    ArrowLeft: () => clock.step(-second),
    ArrowRight: () => clock.step(second),
    'shift+ArrowLeft': () => clock.step(-10 * second),
    'shift+ArrowRight': () => clock.step(10 * second),
    Home: () => clock.step(-clock.frames),
    End: () => clock.step(clock.frames),
    '-': () => changeRate(-1),
    '=': () => changeRate(1),
    '+': () => changeRate(1),
    l: commands.toggleLoop,
    i: () => clock.mark(clock.frame, clock.outFrame),
    o: () => clock.mark(clock.inFrame, clock.frame),
    Escape: () => clock.mark(undefined, undefined),
    f: commands.flag,
    ...Object.fromEntries(flagReasons.map((one, at) => [String(at + 1), () => commands.setReason(one)])),
    n: () => document.querySelector<HTMLInputElement>('input[data-flag-note]')?.focus(),
    s: () => document.querySelector<HTMLInputElement>('input[data-segment-name]')?.focus(),
    x: commands.exclude,
    k: commands.keepOnly,
    d: commands.cutOut,
    b: commands.splitHere,
    h: commands.showRests,
    v: commands.showScene,
    '[': () => commands.open('previous'),
    ']': () => commands.open('next'),
    c: view.nextCamera,
    a: view.toggleDifference,
    z: () => {
      if (clock.hasRange) zoom.show(clock.inFrame ?? 0, clock.outFrame ?? clock.last, clock.frames)
    },
    ArrowUp: () => closer(0.5),
    ArrowDown: () => closer(2),
    '0': zoom.reset,
    r: commands.startRecipe,
  })
}
