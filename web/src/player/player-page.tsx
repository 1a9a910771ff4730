import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import './player.css'
import '../dataset/dataset.css'
import { useKeys } from '../app/keys.ts'
import { showToast } from '../app/toasts.tsx'
import { canEdit } from '../app/workspace.ts'
import { type FlagReason, flagReasons, useFlagging, useFlags } from '../dataset/flags-query.ts'
import { type Episode, type Manifest, navigationQuery, useManifest } from '../dataset/queries.ts'
import { Button, IconButton, Kbd } from '../parts/controls.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatCount } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { excludeEpisodes } from '../recipe/draft.ts'
import { PlayerClock } from './clock.ts'
import { EpisodeStrip } from './episode-strip.tsx'
import { Inspector } from './inspector.tsx'
import { type EpisodeMedia, mediaQuery } from './queries.ts'
import { Stage } from './stage.tsx'
import { Timeline } from './timeline.tsx'
import { rates, Transport } from './transport.tsx'
import { usePlayerView } from './view.ts'

const routeApi = getRouteApi('/datasets/$datasetId/episodes/$episode')

export function PlayerPage() {
  const { datasetId, episode } = routeApi.useParams()
  const index = Number(episode)
  const dataset = useManifest(datasetId)
  const navigation = useQuery(navigationQuery(datasetId, index))
  const media = useQuery(mediaQuery(datasetId, index))
  const cache = useQueryClient()
  const { next, previous } = navigation.data ?? {}
  useEffect(() => {
    // The neighbours' addresses come ahead, so that [ and ] show the next picture at once.
    for (const near of [next, previous]) {
      if (!near) continue
      void cache.prefetchQuery(mediaQuery(datasetId, near.episode_index))
      void cache.prefetchQuery(navigationQuery(datasetId, near.episode_index))
    }
  }, [next, previous, datasetId, cache])
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Episode ${index}${title ? `, ${title}` : ''} · nmp`
  }, [index, title])
  const error = dataset.error ?? navigation.error ?? media.error
  if (error || !dataset.data || !navigation.data || !media.data)
    return (
      <div className="page">
        {error ? <Failure error={error} what="The episode did not load" /> : <Skeleton rows={8} />}
      </div>
    )
  return (
    <Player
      key={`${datasetId}/${media.data.episode_index}`}
      dataset={dataset.data}
      episode={navigation.data.current}
      total={navigation.data.total}
      previous={previous?.episode_index}
      next={next?.episode_index}
      media={media.data}
    />
  )
}

interface PlayerProps {
  dataset: Manifest
  episode: Episode
  total: number
  previous: number | undefined
  next: number | undefined
  media: EpisodeMedia
}

function Player({ dataset, episode, total, previous, next, media }: PlayerProps) {
  const search = routeApi.useSearch()
  const navigate = useNavigate()
  const view = usePlayerView(dataset)
  const index = episode.episode_index
  const clock = useMemo(() => new PlayerClock(media.fps, media.length_frames), [media])
  useSyncExternalStore(clock.subscribe, clock.getVersion)
  const [reason, setReason] = useState<FlagReason>('idle')
  const [note, setNote] = useState('')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const flags = useFlags(dataset)
  const { flag, unflag } = useFlagging(dataset)
  const mine = flags.data?.filter((one) => one.episode_index === index) ?? []

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first frame of a newly opened episode
  useEffect(() => {
    clock.setRate(view.rate)
    clock.setLooping(view.isLooping)
    clock.seek(Math.round((search.t ?? 0) * media.fps))
    return () => clock.close()
  }, [clock])
  const isPlaying = clock.isPlaying
  useEffect(() => {
    if (isPlaying) return
    // The address follows the playhead while it stands, without a new page for every frame.
    let timer: ReturnType<typeof setTimeout>
    const stop = clock.onFrame(() => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const t = Number(clock.seconds.toFixed(3))
        const url = new URL(location.href)
        if (t > 0) url.searchParams.set('t', String(t))
        else url.searchParams.delete('t')
        if (url.href !== location.href) history.replaceState(history.state, '', url)
      }, 300)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [clock, isPlaying])

  const open = (to: number | undefined) => {
    if (to === undefined) return
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(to) },
      replace: true,
    })
  }
  const mayFlag = canEdit(dataset.role)
  const hasRange = clock.inFrame !== undefined || clock.outFrame !== undefined
  const flagNow = () => {
    if (!mayFlag) return
    const range = hasRange ? { start_frame: clock.inFrame ?? 0, end_frame: (clock.outFrame ?? clock.last) + 1 } : {}
    void flag([{ episode_index: index, reason, ...(note.trim() ? { note: note.trim() } : {}), ...range }]).then(() => {
      setNote('')
      clock.mark(undefined, undefined)
    })
  }
  const exclude = () => {
    const undo = excludeEpisodes(dataset.id, [index])
    showToast(`Episode ${index} left out of the recipe`, undo)
  }
  const changeRate = (step: number) => {
    const at = rates.indexOf(clock.rate as (typeof rates)[number])
    const rate = rates[Math.max(0, Math.min(rates.length - 1, at + step))] ?? 1
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
  useKeys({
    ' ': () => clock.toggle(),
    ',': () => clock.step(-1),
    '.': () => clock.step(1),
    ArrowLeft: () => clock.step(-Math.round(media.fps)),
    ArrowRight: () => clock.step(Math.round(media.fps)),
    'shift+ArrowLeft': () => clock.step(-10 * Math.round(media.fps)),
    'shift+ArrowRight': () => clock.step(10 * Math.round(media.fps)),
    Home: () => clock.step(-media.length_frames),
    End: () => clock.step(media.length_frames),
    '-': () => changeRate(-1),
    '=': () => changeRate(1),
    '+': () => changeRate(1),
    l: toggleLoop,
    i: () => clock.mark(clock.frame, clock.outFrame),
    o: () => clock.mark(clock.inFrame, clock.frame),
    Escape: () => clock.mark(undefined, undefined),
    f: flagNow,
    ...Object.fromEntries(flagReasons.map((one, at) => [String(at + 1), () => setReason(one)])),
    n: () => document.querySelector<HTMLInputElement>('input[data-flag-note]')?.focus(),
    x: exclude,
    '[': () => open(previous),
    ']': () => open(next),
    c: view.nextCamera,
    a: view.toggleDifference,
    z: () => hasRange && view.zoomTo(clock.inFrame ?? 0, clock.outFrame ?? clock.last, media.length_frames),
    '0': view.resetZoom,
    r: () => void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } }),
  })
  const inspector = (
    <Inspector
      dataset={dataset}
      episode={episode}
      clock={clock}
      flags={mine}
      mayFlag={mayFlag}
      reason={reason}
      onReason={setReason}
      note={note}
      onNote={setNote}
      onFlag={flagNow}
      onUnflag={(one) => void unflag([one])}
      onExclude={exclude}
    />
  )
  return (
    <div className="pl">
      <div className="subbar">
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
          {formatCount(media.length_frames)} frames at {media.fps} fps
        </span>
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
              {inspector}
            </aside>
          </div>
          <Transport
            clock={clock}
            view={view}
            onRate={(rate) => {
              clock.setRate(rate)
              view.setRate(rate)
            }}
            onLoop={toggleLoop}
          />
          <Timeline dataset={dataset} episode={episode} clock={clock} flags={mine} view={view} />
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
        {inspector}
      </Dialog>
    </div>
  )
}
