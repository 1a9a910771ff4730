/** The episodes of all files, and the features they share. */
import type { FoundEpisode } from '../../errors.ts'
import { maxFound } from '../../errors.ts'
import { type Feature, isCamera } from '../../feature.ts'
import type { Findings } from '../../finding.ts'
import { sourceTimestamp, successColumn } from './episode.ts'
import type { CameraPlan, ColumnPlan, EpisodePlan, NamedSplit } from './plan.ts'

/** What the episodes of one shape share; a file of ten thousand demos has one of these. */
export interface EpisodeTemplate {
  readonly columns: readonly ColumnPlan[]
  readonly cameras: readonly CameraPlan[]
}

export interface Hdf5Entry {
  /** Place in the list of files. */
  readonly file: number
  readonly group: string
  readonly template: EpisodeTemplate
  readonly startRow: number
  readonly length: number
  readonly sourceIndex: number
  readonly sourceId: string
  readonly task: string
  readonly success: boolean | null
  readonly splits: readonly string[]
}

const listedMissing = 10

/** Shares of the episodes that must have a feature for it to be kept; episodes without it are then left out. */
const mainShare = 0.5
const columnShare = 0.9

export class Hdf5Catalog {
  readonly #findings: Findings
  readonly #templates = new Map<string, EpisodeTemplate>()
  readonly #entries: Hdf5Entry[] = []
  /** By split: what it names and this dataset does not have; the first few by name. */
  readonly #missing = new Map<string, { count: number; readonly shown: string[] }>()
  readonly #emptySplits = new Set<string>()
  #namesSplits = false
  readonly #found: FoundEpisode[] = []
  #sourceCount = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** Every episode that the files hold, usable or not. */
  get found(): { readonly episodes: readonly FoundEpisode[]; readonly count: number } {
    return { episodes: this.#found, count: this.#sourceCount }
  }

  addSplits(path: string, splits: readonly NamedSplit[]): void {
    for (const { name, missing, refusal } of splits) {
      this.#namesSplits = true
      this.#emptySplits.add(name)
      if (refusal !== undefined)
        this.#findings.add('split-unreadable', `The split ${name} of ${path} is not used: ${refusal}.`)
      for (const id of missing) this.#noteMissing(name, id)
    }
  }

  add(file: number, plan: EpisodePlan): void {
    const sourceIndex = this.#sourceCount++
    if (sourceIndex < maxFound) this.#found.push({ sourceIndex, sourceId: plan.sourceId, length: plan.length })
    for (const { rule, sentence, isOfEpisode } of plan.notes) {
      if (isOfEpisode) this.#findings.add(rule, sentence, sourceIndex)
      else this.#findings.addOnce(rule, sentence)
    }
    if (plan.splits.length > 0) this.#namesSplits = true
    if (plan.length === 0) {
      this.#findings.add('episode-empty', `${plan.sourceId} has no frames; left out.`, sourceIndex)
      for (const name of plan.splits) this.#noteMissing(name, plan.sourceId)
      return
    }
    const { group, startRow, length, sourceId, task, success, splits } = plan
    const template = this.#intern({ columns: plan.columns, cameras: plan.cameras })
    this.#entries.push({ file, group, template, startRow, length, sourceIndex, sourceId, task, success, splits })
  }

  #noteMissing(split: string, id: string): void {
    const known = this.#missing.get(split) ?? { count: 0, shown: [] }
    this.#missing.set(split, known)
    known.count++
    if (known.shown.length < listedMissing) known.shown.push(id)
  }

  /** Chooses the features and leaves out the episodes that do not have them. */
  finish(): { features: Feature[]; entries: Hdf5Entry[]; namesSplits: boolean } {
    const features = this.#chooseFeatures()
    const missing = new Map<EpisodeTemplate, string | undefined>()
    for (const template of this.#templates.values()) missing.set(template, findMissing(template, features))
    const entries = this.#entries.filter((entry) => {
      const name = missing.get(entry.template)
      if (name === undefined) return true
      const sentence = `${entry.sourceId} is left out: it lacks ${name} in the shape that most episodes have.`
      this.#findings.add('episode-arrays-differ', sentence, entry.sourceIndex)
      for (const split of entry.splits) this.#noteMissing(split, entry.sourceId)
      return false
    })
    this.#reportSplits(entries)
    return { features, entries, namesSplits: this.#namesSplits }
  }

  #reportSplits(entries: readonly Hdf5Entry[]): void {
    for (const { splits } of entries) for (const name of splits) this.#emptySplits.delete(name)
    for (const [name, { count, shown }] of this.#missing) {
      const more = count > shown.length ? ` and ${count - shown.length} more` : ''
      const sentence = `The split ${name} names episodes that are missing or left out: ${shown.join(', ')}${more}.`
      this.#findings.add('split-episodes-missing', sentence)
    }
    for (const name of this.#emptySplits)
      this.#findings.add('split-empty', `The split ${name} has no episodes; not kept.`)
  }

  #chooseFeatures(): Feature[] {
    const counts = new Map<string, { feature: Feature; count: number }>()
    for (const { template } of this.#entries) {
      for (const feature of listFeatures(template)) {
        const key = JSON.stringify(feature)
        const known = counts.get(key)
        if (known) known.count++
        else counts.set(key, { feature, count: 1 })
      }
    }
    const best = new Map<string, { feature: Feature; count: number }>()
    for (const entry of counts.values()) {
      const known = best.get(entry.feature.name)
      if (!known || entry.count > known.count) best.set(entry.feature.name, entry)
    }
    return [...best.values()].filter((entry) => this.#isKept(entry)).map(({ feature }) => feature)
  }

  #isKept({ feature, count }: { feature: Feature; count: number }): boolean {
    const share = count / this.#entries.length
    if (feature.name === sourceTimestamp) return share === 1 && this.#findings.count('timestamps-irregular') > 0
    if (feature.name === successColumn) return share === 1
    const isMain = isCamera(feature) || feature.name === 'action' || feature.name === 'observation.state'
    if (share >= (isMain ? mainShare : columnShare)) return true
    this.#findings.add(
      'array-rare',
      `${feature.name} is dropped: ${count} of ${this.#entries.length} episodes have it.`,
    )
    return false
  }

  #intern(template: EpisodeTemplate): EpisodeTemplate {
    const key = JSON.stringify(template)
    const known = this.#templates.get(key)
    if (known) return known
    this.#templates.set(key, template)
    return template
  }
}

function findMissing(template: EpisodeTemplate, features: readonly Feature[]): string | undefined {
  const own = new Set(listFeatures(template).map((feature) => JSON.stringify(feature)))
  return features.find((feature) => !own.has(JSON.stringify(feature)))?.name
}

function listFeatures({ columns, cameras }: EpisodeTemplate): Feature[] {
  const features = new Map<string, Feature>()
  for (const { name, width, height } of cameras) {
    features.set(name, { kind: 'camera', name, storage: 'video', width, height, channels: 3, info: {} })
  }
  for (const { name, dtype, shape, names } of columns) {
    if (!features.has(name)) {
      features.set(name, { kind: 'column', name, dtype, shape, names: names === null ? null : [...names] })
    }
  }
  return [...features.values()].sort((a, b) => rankFeature(a) - rankFeature(b))
}

function rankFeature(feature: Feature): number {
  if (feature.name === 'observation.state') return 0
  if (feature.name === 'action') return 1
  return isCamera(feature) ? 2 : 3
}
