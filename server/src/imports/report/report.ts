import type { FoundEpisode } from '@nmp/formats/errors'
import { type Finding, isDropping } from '@nmp/formats/finding'
import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../http/schemas.ts'
import type { EpisodeOutcome } from '../prepare/prepare.ts'
import type { Origin } from '../prepare/prepare-hooks.ts'
import { type SourceKind, sourceKinds } from '../source-kind.ts'
import { hideSecrets } from '../source-uri.ts'

export const reportPath = 'report.json'

const finding = Type.Object({
  rule: Type.String(),
  severity: oneOf(['error', 'warning', 'info']),
  episode: nullable(
    Type.Integer({
      description: "The episode's number in the source; null if the finding concerns the whole dataset.",
    }),
  ),
  sentence: Type.String(),
  dropped: Type.Optional(
    Type.Boolean({
      description: 'True if part of the source is missing in the dataset although its episodes were imported.',
    }),
  ),
})

const reportedEpisode = Type.Object({
  source_index: Type.Integer(),
  source_id: Type.String(),
  episode_index: nullable(Type.Integer({ description: 'Its number in the dataset; null when it was left out.' })),
  length_frames: nullable(Type.Integer()),
  outcome: oneOf(['imported', 'repaired', 'left_out', 'not_imported'], {
    description: '`not_imported`: nothing wrong was found with it, but the import failed.',
  }),
  notes: Type.Array(Type.String()),
})

export const importReport = Type.Object(
  {
    schema_version: Type.String(),
    kind: Type.Literal('import_report'),
    import_id: Type.String(),
    outcome: oneOf(['succeeded', 'failed']),
    summary: Type.String({ description: 'A few sentences.' }),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String(), phase: nullable(Type.String()) })),
    source: Type.Object({
      kind: oneOf(sourceKinds),
      uri: nullable(Type.String()),
      revision: nullable(Type.String()),
      layout: nullable(Type.String()),
      version: nullable(Type.String()),
      details: Type.Record(Type.String(), Type.Unknown()),
      file_count: Type.Integer(),
      size_bytes: Type.Integer(),
    }),
    counts: Type.Object({
      episodes_found: Type.Integer(),
      episodes_imported: Type.Integer(),
      episodes_repaired: Type.Integer(),
      episodes_left_out: Type.Integer(),
      frames: Type.Integer(),
      errors: Type.Integer(),
      warnings: Type.Integer(),
      notes: Type.Integer(),
    }),
    result: nullable(
      Type.Object({
        fps: Type.Number(),
        robot_type: nullable(Type.String()),
        splits: Type.Optional(
          Type.Array(Type.Object({ name: Type.String(), episode_count: Type.Integer() }), {
            description: 'Splits of the dataset; they may overlap. Absent in reports made before splits were kept.',
          }),
        ),
        file_count: Type.Integer(),
        size_bytes: Type.Integer(),
        kept_files: Type.Integer({ description: 'Canonical files that are unchanged source files.' }),
        digest: Type.String(),
      }),
    ),
    findings: Type.Array(finding),
    episodes: Type.Array(reportedEpisode),
    truncated: Type.Boolean({ description: 'The list of episodes was shortened; the counts include all.' }),
  },
  { $id: 'ImportReport' },
)
export type ImportReport = Static<typeof importReport>

export interface ReportDraft {
  importId: string
  sourceKind: SourceKind
  sourceUri: string | null
  sourceRevision: string | null
  files: readonly { sizeBytes: number }[]
  origin: Origin | null
  findings: readonly Finding[]
  /** Of an import that failed: the first of the episodes that were found, and how many there are. */
  found?: { readonly episodes: readonly FoundEpisode[]; readonly count: number }
  episodes: readonly EpisodeOutcome[]
  episodeCount: number
  frameCount: number
  result: ImportReport['result']
  failure: { code: string; sentence: string; phase: string | null } | null
}

const mostEpisodes = 10_000

/** Each thing once: a feature may be missed in every file. */
export const listDropped = (findings: readonly { rule: string; sentence: string }[]): string[] => [
  ...new Set(findings.filter(({ rule }) => isDropping(rule)).map(({ sentence }) => sentence)),
]

/** What happened, in words for who recorded the data. No times and no places: the same source gives the same report. */
export function writeReport(draft: ReportDraft): ImportReport {
  const { origin, findings, failure } = draft
  const notes = groupByEpisode(findings)
  const imported = draft.episodes.map((episode): ImportReport['episodes'][number] => {
    const said = notes.get(episode.sourceIndex) ?? []
    return {
      source_index: episode.sourceIndex,
      source_id: episode.sourceId,
      episode_index: episode.episodeIndex,
      length_frames: episode.length,
      outcome: said.some(({ severity }) => severity !== 'info') ? 'repaired' : 'imported',
      notes: said.map(({ sentence }) => sentence),
    }
  })
  const known = new Set(draft.episodes.map(({ sourceIndex }) => sourceIndex))
  const found = new Map((draft.found?.episodes ?? []).map((episode) => [episode.sourceIndex, episode]))
  const present = (index: number, outcome: 'left_out' | 'not_imported'): ImportReport['episodes'][number] => ({
    source_index: index,
    source_id: found.get(index)?.sourceId ?? String(index),
    episode_index: null,
    length_frames: found.get(index)?.length ?? null,
    outcome,
    notes: (notes.get(index) ?? []).map(({ sentence }) => sentence),
  })
  const leftOut = [...notes].flatMap(([index, said]) =>
    known.has(index) || !said.some(({ severity }) => severity === 'error') ? [] : [present(index, 'left_out')],
  )
  const lost = new Set(leftOut.map(({ source_index: index }) => index))
  // Of each rule only the first thousand findings are kept.
  const isNoneLeft = failure?.code === 'no_episodes'
  const others = [...found.keys()]
    .filter((index) => !lost.has(index))
    .map((index) => present(index, isNoneLeft ? 'left_out' : 'not_imported'))
  const episodes = [...leftOut, ...others, ...imported].sort((one, other) => one.source_index - other.source_index)
  // Those that were left out before the others were counted.
  const before = draft.found ? leftOut.filter(({ source_index: index }) => !found.has(index)).length : leftOut.length
  const foundCount = (draft.found?.count ?? draft.episodeCount) + before
  const repaired = imported.filter(({ outcome }) => outcome === 'repaired').length
  const count = (severity: string): number => findings.filter((entry) => entry.severity === severity).length
  const counts = {
    episodes_found: foundCount,
    episodes_imported: draft.episodeCount,
    episodes_repaired: repaired,
    episodes_left_out: isNoneLeft ? foundCount : leftOut.length,
    frames: draft.frameCount,
    errors: count('error'),
    warnings: count('warning'),
    notes: count('info'),
  }
  const { listed, isCut } = listEpisodes(episodes, foundCount)
  return {
    schema_version: '1.0.0',
    kind: 'import_report',
    import_id: draft.importId,
    outcome: failure ? 'failed' : 'succeeded',
    summary: failure
      ? failure.sentence
      : summarize(counts, listDropped(findings).length, origin, draft.result?.splits ?? []),
    error: failure && { code: failure.code, message: failure.sentence, phase: failure.phase },
    source: {
      kind: draft.sourceKind,
      uri: hideSecrets(draft.sourceUri),
      revision: draft.sourceRevision,
      layout: origin?.layout ?? null,
      version: origin?.version ?? null,
      details: origin?.details ?? {},
      file_count: draft.files.length,
      size_bytes: draft.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    },
    counts,
    result: draft.result,
    findings: findings.map(({ rule, severity, episode, sentence }) => ({
      rule,
      severity,
      episode,
      sentence,
      ...(isDropping(rule) ? { dropped: true } : {}),
    })),
    episodes: listed,
    truncated: isCut,
  }
}

function groupByEpisode(findings: readonly Finding[]): Map<number, Finding[]> {
  const byEpisode = new Map<number, Finding[]>()
  for (const entry of findings) {
    if (entry.episode === null) continue
    const known = byEpisode.get(entry.episode)
    if (known) known.push(entry)
    else byEpisode.set(entry.episode, [entry])
  }
  return byEpisode
}

/** Where there are too many, those of which something is to be said come first. */
function listEpisodes(episodes: ImportReport['episodes'], total: number) {
  if (episodes.length <= mostEpisodes) return { listed: episodes, isCut: episodes.length < total }
  const telling = episodes.filter(({ notes }) => notes.length > 0).slice(0, mostEpisodes)
  return { listed: telling, isCut: true }
}

const plural = (count: number, noun: string, many = `${noun}s`): string => `${count} ${count === 1 ? noun : many}`

type Splits = NonNullable<NonNullable<ImportReport['result']>['splits']>

function summarize(counts: ImportReport['counts'], dropped: number, origin: Origin | null, splits: Splits): string {
  const from = origin ? ` from ${origin.layout} ${origin.version}` : ''
  const parts = [
    `${plural(counts.episodes_imported, 'episode')} with ${plural(counts.frames, 'frame')} ${counts.episodes_imported === 1 ? 'was' : 'were'} imported${from}.`,
    ...(counts.episodes_repaired > 0 ? [`${plural(counts.episodes_repaired, 'episode')} needed a repair.`] : []),
    ...(counts.episodes_left_out > 0
      ? [`${plural(counts.episodes_left_out, 'episode')} had to be left out.`]
      : dropped > 0
        ? []
        : ['Nothing was left out.']),
    ...(dropped > 0
      ? [`${plural(dropped, 'camera, feature or file', 'cameras, features or files')} had to be dropped.`]
      : []),
    ...describeSplits(splits, counts.episodes_imported),
  ]
  return parts.join(' ')
}

/** Nothing where all episodes are `train`, as LeRobot writes into every dataset. */
function describeSplits(splits: Splits, total: number): string[] {
  const [first] = splits
  const isUsual = splits.length === 1 && first?.name === 'train' && first.episode_count === total
  if (splits.length === 0 || isUsual) return []
  const shown = splits.slice(0, 5).map(({ name, episode_count: count }) => `${name} ${count}`)
  const more = splits.length > shown.length ? ` and ${splits.length - shown.length} more` : ''
  return [`Splits: ${shown.join(', ')}${more}.`]
}
