import { getRouteApi, Link } from '@tanstack/react-router'
import { useManifest } from '../data/dataset.ts'
import { beginWalk } from '../data/episodes/walk.ts'
import { useFlagging, useFlags } from '../data/flags.ts'
import { Poster } from '../episode/poster.tsx'
import { Button, IconButton } from '../parts/controls.tsx'
import { formatTimecode } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { addToSelection } from '../session/selection.ts'
import { canEdit } from '../session/workspace.ts'
import './dataset-frame.css'
import { ReviewButton } from './review/start-review.tsx'

const routeApi = getRouteApi('/datasets/$datasetId/flags')

export function FlagsTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const flags = useFlags(dataset)
  const { unflag } = useFlagging(dataset)
  if (!dataset) return null
  const fps = dataset.metrics.fps
  const camera = dataset.observation.cameras[0]
  const flagged = [...new Set(flags.data?.map(({ episode_index }) => episode_index))]
  return (
    <div className="tab-page">
      {flags.error && (
        <Failure error={flags.error} what="The flags did not load" onRetry={() => void flags.refetch()} />
      )}
      {flags.isPending && <Skeleton height={36} />}
      {flags.data?.length === 0 && (
        <Empty title="No flags">
          Flag an episode or a range of it in the player, in Frames or in Insights; editors share them.
        </Empty>
      )}
      {flags.data && flags.data.length > 0 && (
        <>
          <div className="row below-8">
            <h2>{flags.data.length === 1 ? '1 flag' : `${flags.data.length} flags`}</h2>
            <span className="end" />
            <ReviewButton dataset={dataset} name="Flagged" indices={flagged} />
            <Button small onClick={() => addToSelection(datasetId, flagged)}>
              Select these episodes
            </Button>
          </div>
          <TableScroll label="Flags">
            <table className="table">
              <thead>
                <tr>
                  <th>
                    <span className="visually-hidden">Frame</span>
                  </th>
                  <th className="align-right">Episode</th>
                  <th>Reason</th>
                  <th>Where</th>
                  <th>Note</th>
                  <th>By</th>
                  <th>When</th>
                  <th>
                    <span className="visually-hidden">Remove</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {flags.data.map((flag) => (
                  <tr key={flag.id}>
                    <td className="width-68 height-46">
                      {camera && (
                        <Poster
                          dataset={dataset}
                          episode={flag.episode_index}
                          camera={camera.key}
                          frame={flag.start_frame ?? 0}
                          className="thumb"
                          width={48}
                          height={36}
                        />
                      )}
                    </td>
                    <td className="align-right">
                      <Link
                        to="/datasets/$datasetId/episodes/$episode"
                        params={{ datasetId, episode: String(flag.episode_index) }}
                        search={flag.start_frame === null ? {} : { t: flag.start_frame / fps }}
                        onClick={() => beginWalk(datasetId, { indices: flagged, words: 'flagged' })}
                      >
                        <b>{flag.episode_index}</b>
                      </Link>
                    </td>
                    <td>
                      <span className="chip flag">
                        <Icon name="flag" />
                        {flag.reason}
                      </span>
                    </td>
                    <td className="mid">
                      {flag.start_frame === null || flag.end_frame === null
                        ? 'whole episode'
                        : `${formatTimecode(flag.start_frame / fps)} to ${formatTimecode(flag.end_frame / fps)}`}
                    </td>
                    <td className="mid wrap-text min-width-150">{flag.note}</td>
                    <td className="mid">{flag.created_by_name}</td>
                    <td className="mid">
                      <Time at={flag.created_at} />
                    </td>
                    <td className="align-right">
                      {canEdit(dataset.role) && (
                        <IconButton
                          icon="close"
                          label={`Remove the flag of episode ${flag.episode_index}`}
                          look="ghost"
                          small
                          onClick={() => unflag([flag])}
                        />
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </TableScroll>
        </>
      )}
    </div>
  )
}
