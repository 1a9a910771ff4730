import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type Manifest, navigationQuery, useManifest } from '../data/dataset.ts'
import { mediaQuery } from '../data/episodes/episode-rows.ts'
import { formatCount, plural } from '../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { type Opened, Player } from './player.tsx'

const routeApi = getRouteApi('/datasets/$datasetId/episodes/$episode')

export function PlayerPage() {
  const { datasetId, episode } = routeApi.useParams()
  const index = Number(episode)
  const dataset = useManifest(datasetId)
  const navigation = useQuery({ ...navigationQuery(datasetId, index), placeholderData: keepPreviousData })
  const media = useQuery({ ...mediaQuery(datasetId, index), placeholderData: keepPreviousData })
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Episode ${index}${title ? `, ${title}` : ''} · nmp`
  }, [index, title])
  // The episode before stays until all of the next one is here: no empty page between them.
  const opened = useRef<Opened & { datasetId: string }>(undefined)
  if (navigation.data && media.data && navigation.data.current.episode_index === media.data.episode_index) {
    const { current, total, previous, next } = navigation.data
    const isSame = opened.current?.episode === current && opened.current.media === media.data
    if (!isSame)
      opened.current = {
        datasetId,
        episode: current,
        total,
        previous: previous ?? undefined,
        next: next ?? undefined,
        media: media.data,
      }
  }
  const total = dataset.data?.metrics.total_episodes
  if (dataset.data && total !== undefined && !(index >= 0 && index < total))
    return <NoSuchEpisode dataset={dataset.data} name={episode} />
  const error = dataset.error ?? navigation.error ?? media.error
  if (error || !dataset.data || opened.current?.datasetId !== datasetId)
    return (
      <div className="page">
        {error ? <Failure error={error} what="The episode did not load" /> : <Skeleton rows={8} />}
      </div>
    )
  const { datasetId: _, ...shown } = opened.current
  return <Player key={datasetId} dataset={dataset.data} {...shown} />
}

function NoSuchEpisode({ dataset, name }: { dataset: Manifest; name: string }) {
  const total = dataset.metrics.total_episodes
  return (
    <div className="page">
      <Empty
        title={`There is no episode ${name}`}
        actions={
          <Link className="button" to="/datasets/$datasetId" params={{ datasetId: dataset.id }}>
            Open the list of episodes
          </Link>
        }
      >
        {dataset.title} has {plural(total, 'episode')}
        {total > 1 && `, numbered 0 to ${formatCount(total - 1)}`}.
      </Empty>
    </div>
  )
}
