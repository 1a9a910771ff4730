import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Diff, type DiffEpisode, diffEpisodesQuery, type EpisodeKind, episodeKinds } from '../../data/diff.ts'
import { Button } from '../../parts/controls.tsx'
import { formatCount, plural, shortName } from '../../parts/formats.ts'
import { Picture } from '../../parts/picture.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { KeptFrames } from './kept-frames.tsx'
import './episode-strips.css'

const routeApi = getRouteApi('/signed-in/orgs/$org/compare')

const words: Record<EpisodeKind, { label: string; about: string }> = {
  added: { label: 'Added', about: 'Only on the right.' },
  removed: { label: 'Removed', about: 'Only on the left.' },
  trimmed: { label: 'Trimmed', about: 'The same rows with frames left out; the bar shows which were kept.' },
  changed: { label: 'Changed', about: 'The same recording with other values.' },
  re_encoded: { label: 'Re-encoded', about: 'The same rows; the video was encoded anew.' },
  relabelled: { label: 'Relabelled', about: 'The same rows and pictures with another task.' },
  same: { label: 'Same', about: 'Every row, every packet and the tasks are equal.' },
}

interface EpisodeStripsProps {
  diff: Diff
  counts: NonNullable<Diff['counts']>
  sides: { org: string; from: string; to: string }
}

/** Two columns of episodes, of one kind at a time. */
export function EpisodeStrips({ diff, counts, sides }: EpisodeStripsProps) {
  const { kind: asked, ...search } = routeApi.useSearch()
  const shown = asked ?? episodeKinds.find((kind) => counts[kind] > 0) ?? 'same'
  return (
    <section aria-label="Episodes">
      <nav className="strip-kinds below-8" aria-label="What became of the episodes">
        {episodeKinds.map((kind) => (
          <Link
            key={kind}
            to="/orgs/$org/compare"
            params={{ org: sides.org }}
            search={{ ...search, kind }}
            className="strip-kind"
            data-kind={kind}
            data-quiet={counts[kind] === 0}
            data-chosen={kind === shown}
            aria-current={kind === shown ? 'page' : undefined}
          >
            {words[kind].label}
            <b>{formatCount(counts[kind])}</b>
          </Link>
        ))}
      </nav>
      <p className="small mid below-8">{words[shown].about}</p>
      {diff.unsearched > 0 && (shown === 'added' || shown === 'removed') && (
        <p className="callout below-8">
          {plural(diff.unsearched, 'episode')} under Added and Removed were too many to be looked at for cuts.
        </p>
      )}
      {counts[shown] === 0 ? (
        <Empty title={`No episode is ${words[shown].label.toLowerCase()}`} />
      ) : (
        <Strips key={shown} diff={diff} kind={shown} sides={sides} total={counts[shown]} />
      )}
    </section>
  )
}

interface StripsProps extends Omit<EpisodeStripsProps, 'counts'> {
  kind: EpisodeKind
  total: number
}

function Strips({ diff, kind, sides, total }: StripsProps) {
  const list = useInfiniteQuery(diffEpisodesQuery(sides, kind))
  const episodes = list.data?.pages.flat() ?? []
  return (
    <>
      <ol className="strips" data-kind={kind}>
        {episodes.map((episode) => (
          <li key={`${episode.from_episode} ${episode.to_episode}`} className="strip-pair">
            <Strip episode={episode} side="from" datasetId={diff.from.dataset_id} isOpen={diff.from.shown} />
            <Strip episode={episode} side="to" datasetId={diff.to.dataset_id} isOpen={diff.to.shown} />
            <Difference episode={episode} kind={kind} />
          </li>
        ))}
      </ol>
      {list.isPending && <Skeleton rows={4} height={64} />}
      {list.error && (
        <Failure error={list.error} what="The episodes did not load" onRetry={() => void list.refetch()} />
      )}
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more of {formatCount(total)}
        </Button>
      )}
    </>
  )
}

interface StripProps {
  episode: DiffEpisode
  side: 'from' | 'to'
  datasetId: string
  /** Episodes of a revision that is not shown any more have no page. */
  isOpen: boolean
}

function Strip({ episode, side, datasetId, isOpen }: StripProps) {
  const number = episode[`${side}_episode`]
  if (number === null) return <div className="strip none">not there</div>
  const poster = episode[`${side}_poster_url`]
  const frames = episode[`${side}_frames`]
  const tasks = episode[`${side}_tasks`].join('; ')
  const isCut = episode.from_frames !== null && episode.to_frames !== null && episode.from_frames !== episode.to_frames
  const name = `Episode ${number}`
  return (
    <div className="strip" data-side={side}>
      {poster && <Picture path={`${poster}&width=160&format=webp`} isPublic alt="" isLazy className="thumb wide" />}
      <div className="fill">
        {isOpen ? (
          <Link
            className="link semibold"
            to="/datasets/$datasetId/episodes/$episode"
            params={{ datasetId, episode: String(number) }}
          >
            {name}
          </Link>
        ) : (
          <b>{name}</b>
        )}
        <span className={`small ${isCut ? 'strip-moved' : 'mid'}`}> {plural(frames ?? 0, 'frame')}</span>
        {tasks && <p className={`small clip ${episode.relabelled ? 'strip-moved' : 'mid'}`}>{tasks}</p>}
      </div>
    </div>
  )
}

function Difference({ episode, kind }: { episode: DiffEpisode; kind: EpisodeKind }) {
  const whole = Math.max(episode.from_frames ?? 0, episode.to_frames ?? 0)
  const parts = [...episode.differs.map(shortName), ...(episode.relabelled && kind !== 'relabelled' ? ['task'] : [])]
  if (!episode.kept_frames && parts.length === 0) return null
  return (
    <div className="strip-difference">
      {episode.kept_frames && <KeptFrames ranges={episode.kept_frames} whole={whole} />}
      {parts.length > 0 && (
        <p className="row wrap small">
          <span className="dim">Other:</span>
          {parts.map((part) => (
            <span key={part} className="chip tiny strip-chip">
              {part}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}
