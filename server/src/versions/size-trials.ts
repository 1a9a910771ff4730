import { BoundedMap } from '@nmp/formats/bounded-map'
import { isCodecInstalled } from '@nmp/formats/codec/library'
import { createLimiter } from '@nmp/formats/limiter'
import type { Context } from '../context.ts'
import { describeError } from '../errors.ts'
import { oneOf } from '../http/schemas.ts'
import type { RecipePlan } from './plan/plan.ts'
import { type SampledEpisode, sampleEpisodes } from './size-sample.ts'
import { type Trial, type TriedSize, tryEncoding } from './try-encoding.ts'

const sizeEstimates = ['settled', 'measuring', 'rough'] as const
export type SizeEstimate = (typeof sizeEstimates)[number]

export const sizeEstimate = oneOf(sizeEstimates, {
  description:
    '`measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better.',
})

export interface TriedCamera {
  /** Of the episodes that were tried, together. */
  tried: TriedSize
  estimate: SizeEstimate
}

/** Some hundred bytes each. */
const keptSizes = 10_000
const mostWaiting = 16
/** A trial whose turn comes when nobody has asked for it for so long is not begun. */
const patienceMilliseconds = 10_000
const deadlineMilliseconds = 30_000
const retryMilliseconds = 60_000

interface SizeTrials {
  find(trial: Trial, plan: RecipePlan): TriedCamera
}

const trialsOf = new WeakMap<Context, SizeTrials>()

/** What was tried in this process; made when the first is asked for, ended with the program. */
export function getSizeTrials(context: Context): SizeTrials {
  const trials = trialsOf.get(context) ?? createSizeTrials(context)
  trialsOf.set(context, trials)
  return trials
}

function createSizeTrials(context: Context): SizeTrials {
  const sizes = new BoundedMap<string, TriedSize>(keptSizes)
  const failures = new BoundedMap<string, number>(keptSizes)
  /** By revision, camera and what becomes of its pixels. */
  const underWay = new Map<string, { askedAt: number; ended: Promise<void> }>()
  const closing = new AbortController()
  const oneAtATime = createLimiter(1)
  context.closers.push(async () => {
    closing.abort()
    await Promise.all([...underWay.values()].map(({ ended }) => ended))
  })

  const run = async (pixels: string, trial: Trial, missing: ReadonlyMap<SampledEpisode, string>): Promise<void> => {
    if (closing.signal.aborted || Date.now() - (underWay.get(pixels)?.askedAt ?? 0) > patienceMilliseconds) return
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(deadlineMilliseconds)])
    try {
      for await (const [episode, size] of tryEncoding(context, trial, [...missing.keys()], signal))
        sizes.set(missing.get(episode) ?? '', size)
    } catch (error) {
      if (closing.signal.aborted) return
      for (const one of missing.values()) if (!sizes.has(one)) failures.set(one, Date.now())
      context.log.warn({ error: describeError(error), camera: trial.planned.camera.key }, 'a size could not be tried')
    }
  }

  const start = (pixels: string, trial: Trial, missing: ReadonlyMap<SampledEpisode, string>): void => {
    const known = underWay.get(pixels)
    if (known) known.askedAt = Date.now()
    else if (oneAtATime.waitingCount < mostWaiting && !closing.signal.aborted) {
      const ended = oneAtATime.run(() => run(pixels, trial, missing)).finally(() => underWay.delete(pixels))
      underWay.set(pixels, { askedAt: Date.now(), ended })
    }
  }

  return {
    find(trial, plan) {
      const { revision, model, planned, fps, codec, form } = trial
      const pixels = JSON.stringify([revision.id, planned.camera.key, planned.transform ?? null, fps, codec, form])
      const sum = { frameCount: 0, storedBytes: 0, writtenBytes: 0 }
      const missing = new Map<SampledEpisode, string>()
      for (const sampled of sampleEpisodes(model, plan, planned)) {
        const { episode, frameCount, frames, ranges } = sampled
        const key = `${pixels} ${episode} ${frameCount} ${ranges.at(-1)} ${frames}`
        const size = sizes.get(key)
        if (!size) missing.set(sampled, key)
        sum.frameCount += size?.frameCount ?? 0
        sum.storedBytes += size?.storedBytes ?? 0
        sum.writtenBytes += size?.writtenBytes ?? 0
      }
      if (missing.size === 0) return { tried: sum, estimate: 'settled' }
      const failedAt = Math.max(...[...missing.values()].map((key) => failures.get(key) ?? 0))
      const hasFailed = Date.now() - failedAt < retryMilliseconds
      if (hasFailed || (planned.camera.storage === 'video' && !isCodecInstalled()))
        return { tried: sum, estimate: 'rough' }
      start(pixels, trial, missing)
      return { tried: sum, estimate: 'measuring' }
    },
  }
}
