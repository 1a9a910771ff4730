import type { FrameRange } from '../frame-ranges.ts'

/** The runs of frames for which something holds; those that are `joined` frames apart or less are one. */
export function listRuns(
  frames: number,
  isInside: (frame: number) => boolean,
  minFrames = 1,
  joined = 0,
): FrameRange[] {
  const runs: FrameRange[] = []
  for (let from = 0; from < frames; from++) {
    if (!isInside(from)) continue
    let to = from + 1
    while (to < frames && isInside(to)) to++
    const before = runs.at(-1)
    if (before && from - before[1] <= joined) runs[runs.length - 1] = [before[0], to]
    else runs.push([from, to])
    from = to
  }
  return runs.filter(([from, to]) => to - from >= minFrames)
}

/** `frame 12`, `frames 12 to 30` */
export const nameFrames = ([from, to]: FrameRange): string =>
  to - from === 1 ? `frame ${from}` : `frames ${from} to ${to - 1}`
