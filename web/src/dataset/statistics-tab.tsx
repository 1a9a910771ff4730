import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FeatureStatistics, featureStatisticsQuery, useManifest } from '../data/dataset.ts'
import { formatCount, formatValue } from '../parts/formats.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { DatasetSide } from './dataset-side.tsx'
import './dataset-frame.css'

const routeApi = getRouteApi('/datasets/$datasetId/statistics')
const columns = ['mean', 'std', 'min', 'q01', 'q10', 'q50', 'q90', 'q99', 'max'] as const

/** Exact over every row; cameras over LeRobot's sample of frames, and said so. */
export function StatisticsTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const features = useQuery(featureStatisticsQuery(datasetId))
  const statistics = dataset?.statistics
  return (
    <div className="tab-page">
      {dataset && <DatasetSide dataset={dataset} place="page" />}
      {statistics && (
        <dl className="definitions small below-24 max-width-420">
          <dt>Mean, median length</dt>
          <dd>
            {statistics.mean_episode_sec.toFixed(2)} s, {statistics.median_episode_sec.toFixed(2)} s
          </dd>
          <dt>Standard deviation of length</dt>
          <dd>{statistics.std_episode_sec.toFixed(2)} s</dd>
          <dt>Shortest, longest in frames</dt>
          <dd>
            {formatCount(statistics.shortest_episode_frames)}, {formatCount(statistics.longest_episode_frames)}
          </dd>
          <dt>Cameras</dt>
          <dd>{statistics.camera_resolutions.map((size) => size.replace('x', ' x ')).join(', ') || 'none'}</dd>
        </dl>
      )}
      {features.error && (
        <Failure error={features.error} what="The statistics did not load" onRetry={() => void features.refetch()} />
      )}
      {features.isPending && <Skeleton />}
      {features.data
        ?.filter(({ mean }) => mean !== null)
        .map((feature) => (
          <FeatureTable key={feature.name} feature={feature} />
        ))}
      {features.data
        ?.filter(({ pending }) => pending)
        .map(({ name }) => (
          <p key={name} className="mid below-12">
            <span className="mono">{name}</span>: known after the export, since its frames are encoded anew.
          </p>
        ))}
    </div>
  )
}

function FeatureTable({ feature }: { feature: FeatureStatistics }) {
  const size = feature.mean?.length ?? 0
  const names =
    feature.names && feature.names.length === size ? feature.names : Array.from({ length: size }, (_, at) => String(at))
  return (
    <section className="below-24" aria-label={feature.name}>
      <div className="row wrap gap-y-2">
        <h2 className="mono">{feature.name}</h2>
        <span className="dim small nowrap">
          {feature.dtype}
          {feature.shape.length > 0 && `, ${feature.shape.join(' x ')}`}
        </span>
        <span className={feature.sampled ? 'chip' : 'chip good'}>
          {feature.sampled ? 'sampled frames' : 'exact, every row'}
        </span>
        {feature.count !== null && (
          <span className="end dim small nowrap">{formatCount(feature.count)} values each</span>
        )}
      </div>
      <TableScroll label={`Statistics of ${feature.name}`}>
        <table className="table dense">
          <thead>
            <tr>
              <th>{feature.sampled ? 'Channel' : 'Dimension'}</th>
              {columns.map((column) => (
                <th key={column} className="align-right">
                  {column.replace(/^q0?(\d+)$/, '$1 %')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.slice(0, 200).map((name, index) => (
              <tr key={name}>
                <td>{name}</td>
                {columns.map((column) => (
                  <td key={column} className="align-right">
                    {formatValue(feature[column]?.[index])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
    </section>
  )
}
