import type { SourceMap, DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import { formatPercent, plural, shortName } from '../parts/formats.ts'
import { RecipeWords } from './recipe-words.tsx'
import './merged-sources.css'
import './recipe-words.css'

type Source = NonNullable<Version['sources']>[number]

/** What a version of several sources was made of: each with its share, its recipe and its map, as a person would say them. */
export function MergedSources({ version }: { version: Version }) {
  const sources = version.sources ?? []
  const tasks = Object.entries(version.task_weights ?? {})
  const drawn = Object.entries(version.task_samples ?? {})
  const weights = sources.reduce((sum, { weight, frame_count: frames }) => sum + (weight ?? frames), 0)
  return (
    <>
      <ol className="merged-sources" aria-label="Sources">
        {sources.map((source) => (
          <li key={source.source_index}>
            <div className="row wrap">
              <Link className="link semibold" to="/datasets/$datasetId" params={{ datasetId: source.dataset_id }}>
                {source.title}
              </Link>
              <span className="mid small">
                {source.dataset_kind === 'version' ? 'version' : 'revision'} {source.revision_number},{' '}
                {plural(source.episode_count, 'episode')}, {plural(source.frame_count, 'frame')}
              </span>
              {source.weight !== null && (
                <span className="chip line">
                  weight {source.weight}, {formatPercent(source.weight / weights)} of what is drawn
                </span>
              )}
            </div>
            <span className="meter above-4">
              <span style={{ width: `${(100 * source.frame_count) / Math.max(1, version.frame_count)}%` }} />
            </span>
            <MapWords source={source} seed={version.seed ?? 0} isFirst={source.source_index === 0} />
          </li>
        ))}
      </ol>
      {drawn.length > 0 && (
        <p className="above-8">
          Drawn with the seed {version.seed ?? 0}:{' '}
          {drawn.map(([task, count]) => `${plural(count, 'episode')} of “${task}”`).join(', ')}.
        </p>
      )}
      {tasks.length > 0 && (
        <p className="above-8">
          Frames are drawn by task: {tasks.map(([task, weight]) => `“${task}” ${weight}`).join(', ')}.
        </p>
      )}
    </>
  )
}

function MapWords({ source, seed, isFirst }: { source: Source; seed: number; isFirst: boolean }) {
  const said = [
    ...(source.sample === null
      ? []
      : [['Sample', `${plural(source.sample, 'episode')} drawn with the seed ${seed}`] as const]),
    ...describeMap(source.map),
    ...(source.confirm.includes('units')
      ? [['Confirmed', 'ranges that have no number in common are of one unit'] as const]
      : []),
  ]
  return (
    <div className="above-8">
      {source.recipe && <RecipeWords recipe={source.recipe} />}
      {said.length > 0 ? (
        <dl className="definitions recipe-words above-4">
          {said.map(([name, words]) => (
            <div key={`${name} ${words}`} className="contents">
              <dt>{name}</dt>
              <dd className="align-left break-anywhere">{words}</dd>
            </div>
          ))}
        </dl>
      ) : (
        !isFirst && <p className="mid above-4">Every name and unit as it is.</p>
      )}
    </div>
  )
}

/** Line by line; what is not named keeps its name. */
function describeMap({ cameras, features, tasks, robot_type: robot }: SourceMap): (readonly [string, string])[] {
  return [
    ...Object.entries(cameras ?? {}).map(
      ([theirs, ours]) =>
        [
          'Camera',
          ours === null ? `${shortName(theirs)} left out` : `${shortName(theirs)} is ${shortName(ours)}`,
        ] as const,
    ),
    ...Object.entries(features ?? {}).map(([ours, entry]) => ['Feature', describeFeature(ours, entry)] as const),
    ...Object.entries(tasks ?? {}).map(
      ([theirs, ours]) => ['Task', `${theirs === '*' ? 'any other text' : `“${theirs}”`} becomes “${ours}”`] as const,
    ),
    ...(robot === undefined ? [] : [['Robot', robot ?? 'not named'] as const]),
  ]
}

type FeatureMap = NonNullable<SourceMap['features']>[string]

function describeFeature(ours: string, entry: FeatureMap): string {
  if (entry === null) return `${ours} is left out of the result`
  if (entry.fill !== undefined)
    return `${ours} is ${Array.isArray(entry.fill) ? entry.fill.join(', ') : entry.fill} everywhere`
  const { from, dimensions, names, unit } = entry
  const parts = [
    from ? `${ours} is their ${from}` : undefined,
    dimensions
      ? `dimensions ${dimensions.map((label, at) => (names && names[at] !== label ? `${label} as ${names[at]}` : label)).join(', ')}`
      : names && `dimensions called ${names.join(', ')}`,
    Array.isArray(unit)
      ? `${unit.join(' to ')}`
      : unit &&
        Object.entries(unit)
          .map(([label, change]) => `${label} ${change.join(' to ')}`)
          .join(', '),
  ].filter((part) => part !== undefined)
  return from ? parts.join('; ') : `${ours}: ${parts.join('; ')}`
}
