import type { EpisodeMedia } from '@nmp/sdk/generated/records'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import './player.css'
import '../episode/episode.css'
import { type Episode, type Manifest, navigationQuery, useManifest } from '../data/dataset.ts'
import { mediaQuery } from '../data/episode-rows.ts'
import { useFlagging, useFlags } from '../data/flags.ts'
import { excludeEpisodes, includeEpisodes, useLeftOut } from '../data/recipe-draft.ts'
import { setFlagReason, useFlagReason } from '../episode/flag-reason.tsx'
import { Button, IconButton, Kbd } from '../parts/controls.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { showToast } from '../parts/toasts.tsx'
import { canEdit } from '../session/workspace.ts'
import { useAddressTime } from './address-time.ts'
import { PlayerClock } from './clock.ts'
import { EpisodeStrip } from './episode-strip.tsx'
import { Inspector } from './inspector.tsx'
import { usePlayerKeys } from './player-keys.ts'
import { Preload } from './preload.tsx'
import { Stage } from './stage.tsx'
import { useSwipe } from './swipe.ts'
import { Timeline } from './timeline.tsx'
import { Transport } from './transport.tsx'
import { usePlayerView } from './view.ts'
import { ViewOptions } from './view-options.tsx'
import { getZoom } from './zoom.ts'

const routeApi = getRouteApi('/datasets/$datasetId/episodes/$episode')

interface Opened {
  datasetId: string
  episode: Episode
  total: number
  previous: Episode | undefined
  next: Episode | undefined
  media: EpisodeMedia
}

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
  const opened = useRef<Opened>(undefined)
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
  return <Player key={datasetId} dataset={dataset.data} {...opened.current} />
}

function NoSuchEpisode({ dataset, name }: { dataset: Manifest; name: string }) {
  const total = dataset.metrics.total_episodes
  return (
    <div className="page">
      <Empty
        title={`There is no episode ${name}`}
        actions={
          <Link className="btn" to="/datasets/$datasetId" params={{ datasetId: dataset.id }}>
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

function Player({ dataset, episode, total, previous, next, media }: Opened & { dataset: Manifest }) {
  const search = routeApi.useSearch()
  const navigate = useNavigate()
  const view = usePlayerView(dataset)
  const zoom = getZoom(dataset.id)
  const index = episode.episode_index
  const lastClock = useRef<{ episode: number; clock: PlayerClock }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a clock is made with the speed and the place of that moment and told of later ones
  const clock = useMemo(() => {
    const made = new PlayerClock(media.fps, media.length_frames)
    made.setRate(view.rate)
    made.setLooping(view.isLooping)
    // New addresses of the same episode (they expire) leave the playhead where it is.
    const isSame = lastClock.current?.episode === media.episode_index
    made.seek(isSame ? (lastClock.current?.clock.frame ?? 0) : Math.round((search.t ?? 0) * media.fps))
    lastClock.current = { episode: media.episode_index, clock: made }
    return made
  }, [media])
  useSyncExternalStore(clock.subscribe, clock.getVersion)
  useEffect(() => () => clock.close(), [clock])
  useAddressTime(clock, clock.isPlaying)
  const reason = useFlagReason()
  const isLeftOut = useLeftOut(dataset.id).has(index)
  const [note, setNote] = useState('')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const flags = useFlags(dataset)
  const { flag, unflag } = useFlagging(dataset)
  const mine = flags.data?.filter((one) => one.episode_index === index) ?? []

  const open = (to: Episode | undefined) => {
    if (!to) return
    setNote('')
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(to.episode_index) },
      replace: true,
    })
  }
  const mayFlag = canEdit(dataset.role)
  const { hasRange } = clock
  const flagNow = () => {
    if (!mayFlag) return
    const range = hasRange ? { start_frame: clock.inFrame ?? 0, end_frame: (clock.outFrame ?? clock.last) + 1 } : {}
    void flag([{ episode_index: index, reason, ...(note.trim() ? { note: note.trim() } : {}), ...range }]).then(() => {
      setNote('')
      clock.mark(undefined, undefined)
    })
  }
  const exclude = () => {
    const undo = (isLeftOut ? includeEpisodes : excludeEpisodes)(dataset.id, [index])
    showToast(`Episode ${index} ${isLeftOut ? 'back in the draft' : 'left out of the draft'}`, undo)
  }
  const setRate = (rate: number) => {
    clock.setRate(rate)
    view.setRate(rate)
  }
  const toggleLoop = () => {
    clock.setLooping(!clock.isLooping)
    view.setLooping(clock.isLooping)
  }
  const copyLink = () => {
    const url = `${location.origin}/datasets/${dataset.id}/episodes/${index}?t=${clock.seconds.toFixed(2)}`
    void copyText(url).then(() => showToast(`Link to ${clock.seconds.toFixed(2)} s copied`))
  }
  usePlayerKeys(clock, view, zoom, {
    flag: flagNow,
    exclude,
    open: (which) => open(which === 'next' ? next : previous),
    startRecipe: () => void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } }),
    setReason: setFlagReason,
    setRate,
    toggleLoop,
  })
  const swipe = useSwipe({ onEnd: (dx) => Math.abs(dx) > 60 && open(dx < 0 ? next : previous) })
  const inspector = (
    <Inspector
      dataset={dataset}
      episode={episode}
      clock={clock}
      flags={mine}
      mayFlag={mayFlag}
      reason={reason}
      onReason={setFlagReason}
      note={note}
      onNote={setNote}
      onFlag={flagNow}
      onUnflag={(one) => void unflag([one])}
      isLeftOut={isLeftOut}
      onExclude={exclude}
    />
  )
  return (
    <div className="pl">
      <div className="subbar" {...swipe}>
        <span className="crumb desk">
          <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="clip" style={{ maxWidth: 240 }}>
            {dataset.title}
          </Link>
          <i>/</i>
        </span>
        <h1>Episode {index}</h1>
        <span className="dim desk whitespace-nowrap">of {formatCount(total)}</span>
        <span className="row gap-0.5">
          <IconButton
            small
            icon="left"
            label="Previous episode"
            disabled={previous === undefined}
            onClick={() => open(previous)}
          />
          <IconButton
            small
            icon="right"
            label="Next episode"
            disabled={next === undefined}
            onClick={() => open(next)}
          />
        </span>
        <span className="chip desk">
          {plural(media.length_frames, 'frame')} at {media.fps} fps
        </span>
        {isLeftOut && <span className="chip line desk">left out of the draft</span>}
        <span className="end row pl-hints desk">
          <span>
            <Kbd>Space</Kbd> play
          </span>
          <span>
            <Kbd>, .</Kbd> frame
          </span>
          <span>
            <Kbd>← →</Kbd> 1 s
          </span>
          <span>
            <Kbd>I O</Kbd> in, out
          </span>
          <span>
            <Kbd>F</Kbd> flag
          </span>
          <span>
            <Kbd>[ ]</Kbd> episode
          </span>
          <span>
            <Kbd>Z</Kbd> zoom
          </span>
          <span>
            <Kbd>?</Kbd> all keys
          </span>
        </span>
        <button type="button" className="chip flag end pl-sheet-button" onClick={() => setSheetOpen(true)}>
          <Icon name="flag" />
          {mine.length}
          <span className="vh"> flags, open the inspector</span>
        </button>
        <Button small icon="link" className="desk" onClick={copyLink}>
          Copy link
        </Button>
      </div>
      <div className="pl-upper">
        <EpisodeStrip dataset={dataset} current={index} total={total} flags={flags.data ?? []} />
        <div className="pl-right">
          <div className="stage">
            <Stage
              dataset={dataset}
              media={media}
              clock={clock}
              mainCamera={view.mainCamera}
              onMainCamera={view.setMainCamera}
            />
            <aside className="pl-insp" aria-label="Task, segments and flags">
              <div className="pl-cols">{inspector}</div>
            </aside>
          </div>
          <Transport dataset={dataset} clock={clock} view={view} onRate={setRate} onLoop={toggleLoop} />
          <Timeline dataset={dataset} episode={episode} clock={clock} flags={mine} view={view} mayEdit={mayFlag} />
        </div>
      </div>
      {mayFlag && (
        <div className="mact">
          <Button onClick={() => clock.mark(clock.frame, clock.outFrame)}>In</Button>
          <Button onClick={() => clock.mark(clock.inFrame, clock.frame)}>Out</Button>
          <Button look="primary" icon="flag" className="fill" onClick={flagNow}>
            {hasRange
              ? `Flag ${(((clock.outFrame ?? clock.last) - (clock.inFrame ?? 0) + 1) / media.fps).toFixed(2)} s`
              : 'Flag episode'}
          </Button>
        </div>
      )}
      <Dialog title={`Episode ${index}`} open={isSheetOpen} onClose={() => setSheetOpen(false)} sheet="part">
        <div className="pl-sheet">{inspector}</div>
        <ViewOptions dataset={dataset} view={view} isLooping={clock.isLooping} onLoop={toggleLoop} />
      </Dialog>
      <Preload dataset={dataset} next={next} previous={previous} open={media.streams.map(({ url }) => url)} />
    </div>
  )
}
