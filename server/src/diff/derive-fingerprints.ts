import { digestBytes } from '@nmp/formats/diff/fingerprints'
import { labelTask } from '@nmp/formats/diff/take-fingerprints'
import type { EpisodeFrames } from '@nmp/formats/diff/trims'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { isEncoded } from '../versions/merge/merged-cameras.ts'
import type { KeptFingerprints } from './kept-fingerprints.ts'

/** Those of several sources, one after the other; undefined where those of one of them must be taken. `stored` are those of the parts. */
export function joinFingerprints(
  model: ReadModel,
  stored: readonly (KeptFingerprints | undefined)[],
): KeptFingerprints | undefined {
  const { parts = [], manifest, columns } = model
  const isKept = parts.every((part) => manifest.cameras.every((camera) => !isEncoded(part, camera)))
  const derived = parts.flatMap(({ model: own }, place) => {
    const kept = stored[place]
    return (kept && deriveFingerprints(kept, own)) ?? []
  })
  const [first] = derived
  if (!isKept || !first || derived.length < parts.length) return undefined
  const labels = joinLabels(model, derived)
  if (!labels) return undefined
  return {
    set: {
      fps: manifest.fps,
      features: first.set.features,
      lengthFrames: columns.lengthFrames,
      contents: first.set.features.map((_, place) =>
        Buffer.concat(derived.map(({ set }) => set.contents[place] as Uint8Array)),
      ),
      labels,
    },
    async readFrames(episodes) {
      const found: EpisodeFrames[] = []
      for (const [place, { start, model: own }] of parts.entries()) {
        const wanted = episodes.filter((episode) => episode >= start && episode < start + own.episodeCount)
        if (wanted.length === 0) continue
        const frames = await derived[place]?.readFrames(wanted.map((episode) => episode - start))
        found.push(...(frames ?? []).map((one) => ({ ...one, episode: one.episode + start })))
      }
      return found
    },
  }
}

/** Of several tasks an episode keeps what its frames are, unless a map has made others of them. */
function joinLabels(model: ReadModel, derived: readonly KeptFingerprints[]): Uint8Array | undefined {
  const labels = Buffer.concat(derived.map(({ set }) => set.labels))
  for (const { start, model: own } of model.parts ?? [])
    for (let episode = 0; episode < own.episodeCount; episode++) {
      const [before, after] = [own.listTasksOf(episode), model.listTasksOf(start + episode)]
      if (String(before) === String(after)) continue
      if (before.length !== 1 || after.length !== 1) return undefined
      labels.set(labelTask(after[0] as string), (start + episode) * digestBytes)
    }
  return labels
}

/**
 * Those of a version that takes whole episodes as they are stored, under whatever names and with whatever tasks: nothing is read.
 * Undefined where a recipe changes rows, frames or pixels, so that they must be.
 */
export function deriveFingerprints(
  { set, readFrames }: KeptFingerprints,
  model: ReadModel,
): KeptFingerprints | undefined {
  const { manifest, derivation, columns } = model
  if (!derivation || derivation.frames.size > 0 || derivation.transforms.size > 0 || derivation.changes.length > 0)
    return undefined
  const { storedIndex } = derivation
  const places = manifest.features.map(({ name, dtype, shape }) => {
    const stored = derivation.columns.get(name)
    const place = set.features.findIndex((feature) => feature.name === (stored?.name ?? name))
    const feature = set.features[place]
    const isStored = !stored?.dimensions && !stored?.factors && !stored?.dtype
    const isWhole = isStored && feature?.dtype === dtype && String(feature.shape) === String(shape)
    return isWhole ? { place, name } : undefined
  })
  const isStored = storedIndex.every((episode, index) => set.lengthFrames[episode] === columns.lengthFrames[index])
  if (manifest.fps !== set.fps || !isStored || places.includes(undefined)) return undefined
  const found = places.filter((place) => place !== undefined)
  const pick = (digests: Uint8Array): Uint8Array => {
    const picked = new Uint8Array(storedIndex.length * digestBytes)
    for (const [index, episode] of storedIndex.entries())
      picked.set(digests.subarray(episode * digestBytes, (episode + 1) * digestBytes), index * digestBytes)
    return picked
  }
  const labels = pick(set.labels)
  const { taskStarts, taskIds } = columns
  for (let index = 0; index < storedIndex.length; index++) {
    const start = taskStarts[index] as number
    // Of several tasks an episode keeps what its frames are; a text that replaces them is one.
    if ((taskStarts[index + 1] as number) - start === 1)
      labels.set(labelTask(model.getTask(taskIds[start] as number)), index * digestBytes)
  }
  return {
    set: {
      fps: set.fps,
      features: found.map(({ place, name }) => ({ ...(set.features[place] as (typeof set.features)[number]), name })),
      lengthFrames: columns.lengthFrames,
      contents: found.map(({ place }) => pick(set.contents[place] as Uint8Array)),
      labels,
    },
    async readFrames(episodes) {
      const stored = await readFrames([...new Set(episodes.map((episode) => storedIndex[episode] as number))])
      const byStored = new Map(stored.map(({ episode, frames }) => [episode, frames]))
      return episodes.flatMap((episode) => {
        const frames = byStored.get(storedIndex[episode] as number)
        return frames ? [{ episode, frames }] : []
      })
    },
  }
}
