import type { EpisodeMedia } from '@nmp/sdk/generated/records'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Episode, Manifest } from '../data/dataset.ts'
import { useEpisodeLabels } from '../data/episodes/episode-labels.ts'
import { endWalk, findPlace, useWalk } from '../data/episodes/walk.ts'
import { useFlagging, useFlags } from '../data/flags.ts'
import { useDraftSync } from '../data/recipe/draft-sync.ts'
import { excludeEpisodes, includeEpisodes, useLeftOut } from '../data/recipe/recipe-draft.ts'
import { setFlagReason, useFlagReason } from '../episode/flag-reason.tsx'
import { Button } from '../parts/controls.tsx'
import { copyText } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { showToast } from '../parts/toasts.tsx'
import { canEdit } from '../session/workspace.ts'
import { EpisodeStrip, StripPlace } from './episode-strip.tsx'
import { Inspector } from './inspector.tsx'
import { PlayerBar } from './player-bar.tsx'
import { usePlayerKeys } from './player-keys.ts'
import { ReviewBar } from './review/review-bar.tsx'
import { useReviewKeys, useReviewQueue } from './review/use-review-queue.ts'
import { Preload } from './stage/preload.tsx'
import { Stage } from './stage/stage.tsx'
import { StillPanel } from './still-panel.tsx'
import { CutBar } from './timeline/cut-bar.tsx'
import { Timeline } from './timeline/timeline.tsx'
import { Transport } from './timeline/transport.tsx'
import { useFrameCuts } from './timeline/use-frame-cuts.ts'
import { getZoom } from './timeline/zoom.ts'
import { usePlayerClock } from './use-player-clock.ts'
import { useRestOfPage } from './use-rest-of-page.ts'
import { usePlayerView } from './view.ts'
import { ViewOptions } from './view-options.tsx'
import './inspector.css'
import './player-page.css'

/** Comes with what draws, three and urdf-loader, when it is opened. */
const ScenePanel = lazy(async () => ({ default: (await import('./scene/scene-panel.tsx')).ScenePanel }))

const routeApi = getRouteApi('/datasets/$datasetId/episodes/$episode')

/** All that is shown of one episode. */
export interface Opened {
  episode: Episode
  total: number
  previous: Episode | undefined
  next: Episode | undefined
  media: EpisodeMedia
}

/** One episode: its cameras, its signals under one playhead, and what people say of it. */
export function Player({ dataset, episode, total, previous, next, media }: Opened & { dataset: Manifest }) {
  useDraftSync(dataset.id)
  const search = routeApi.useSearch()
  const navigate = useNavigate()
  const view = usePlayerView(dataset)
  const zoom = getZoom(dataset.id)
  const index = episode.episode_index
  const clock = usePlayerClock(media, view, search)
  const reason = useFlagReason()
  const cuts = useFrameCuts(dataset, index, clock)
  const isLeftOut = useLeftOut(dataset.id).has(index)
  const [note, setNote] = useState('')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [isSceneOpen, setSceneOpen] = useState(false)
  const flags = useFlags(dataset)
  const { flag, unflag } = useFlagging(dataset)
  const mine = flags.data?.filter((one) => one.episode_index === index) ?? []

  const { isWhole, onFirstFrame } = useRestOfPage(
    media.streams.some(({ url, depth }) => url !== null && depth === null),
  )
  const mayFlag = canEdit(dataset.role)
  const { hasRange } = clock
  const makeFlag = () => {
    const range = hasRange ? { start_frame: clock.inFrame ?? 0, end_frame: (clock.outFrame ?? clock.last) + 1 } : {}
    return { episode_index: index, reason, ...(note.trim() ? { note: note.trim() } : {}), ...range }
  }
  const open = (to: number | undefined) => {
    if (to === undefined) return
    setNote('')
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(to) },
      search: search.review ? { review: search.review } : {},
      replace: true,
    })
  }
  const labels = useEpisodeLabels(dataset)
  const ownWalk = useWalk(dataset.id)
  const queue = useReviewQueue({ dataset, reviewId: search.review, index, makeFlag, open })
  const walk = queue?.walk ?? ownWalk
  const place = findPlace(walk, index)
  const before = place ? place.previous : previous?.episode_index
  const after = place ? place.next : next?.episode_index
  const flagNow = () => {
    if (!mayFlag) return
    flag([makeFlag()], () => {
      setNote('')
      clock.mark(undefined, undefined)
    })
  }
  const exclude = () => {
    const undo = (isLeftOut ? includeEpisodes : excludeEpisodes)(dataset.id, [index])
    showToast(`Episode ${index} ${isLeftOut ? 'back in the draft' : 'left out of the draft'}`, undo)
  }
  const leaveReview = () =>
    void navigate({
      to: '/datasets/$datasetId/episodes/$episode',
      params: { datasetId: dataset.id, episode: String(index) },
      search: {},
      replace: true,
    })
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
    keepOnly: cuts.keepOnly,
    cutOut: cuts.cutOut,
    splitHere: cuts.splitHere,
    showScene: () => setSceneOpen(!isSceneOpen),
    showRests: () => cuts.still.isSignedIn && cuts.still.toggle(),
    open: (which) => open(which === 'next' ? after : before),
    startRecipe: () => void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: dataset.id } }),
    setReason: setFlagReason,
    setRate,
    toggleLoop,
  })
  useReviewKeys(queue, search.review !== undefined)
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
      onUnflag={(one) => unflag([one])}
      isLeftOut={isLeftOut}
      onExclude={exclude}
    />
  )
  return (
    <div className="player">
      <PlayerBar
        dataset={dataset}
        index={index}
        total={total}
        media={media}
        isLeftOut={isLeftOut}
        flagCount={mine.length}
        label={labels?.get(index)}
        place={place}
        onPrevious={before === undefined ? undefined : () => open(before)}
        onNext={after === undefined ? undefined : () => open(after)}
        onLeaveList={queue ? leaveReview : () => endWalk(dataset.id)}
        onFlags={() => setSheetOpen(true)}
        isSceneOpen={isSceneOpen}
        onScene={() => setSceneOpen(!isSceneOpen)}
        onCopyLink={copyLink}
      />
      {queue && <ReviewBar dataset={dataset} queue={queue} />}
      <div className="player-upper">
        {isWhole ? (
          <EpisodeStrip
            key={place ? 'list' : 'all'}
            dataset={dataset}
            current={index}
            total={total}
            listed={place && walk?.indices}
            flags={flags.data ?? []}
            review={search.review}
          />
        ) : (
          <StripPlace />
        )}
        <div className="player-main">
          <div
            className="player-stage"
            data-cameras={media.streams.length > 0}
            data-scene={isSceneOpen}
            onLoadedDataCapture={onFirstFrame}
          >
            <Stage
              dataset={dataset}
              media={media}
              clock={clock}
              gone={cuts.gone}
              mainCamera={view.mainCamera}
              onMainCamera={view.setMainCamera}
            />
            {isSceneOpen && (
              <Suspense>
                <ScenePanel dataset={dataset} episode={index} clock={clock} onClose={() => setSceneOpen(false)} />
              </Suspense>
            )}
            <aside className="inspector" aria-label="Task, segments and flags">
              <div className="inspector-columns">{isWhole && inspector}</div>
            </aside>
          </div>
          {isWhole && (
            <>
              <Transport dataset={dataset} clock={clock} view={view} onRate={setRate} onLoop={toggleLoop} />
              <CutBar dataset={dataset} clock={clock} cuts={cuts} hasKeepKey={!queue} />
              {cuts.still.isOpen && <StillPanel still={cuts.still} />}
              <Timeline {...{ dataset, episode, clock, cuts, view }} flags={mine} mayEdit={mayFlag} />
            </>
          )}
        </div>
      </div>
      {mayFlag && !queue && (
        <div className="player-actions">
          <Button onClick={() => clock.mark(clock.frame, clock.outFrame)}>In</Button>
          <Button onClick={() => clock.mark(clock.inFrame, clock.frame)}>Out</Button>
          <Button look="primary" icon="flag" className="fill" onClick={flagNow}>
            {hasRange
              ? `Flag ${(((clock.outFrame ?? clock.last) - (clock.inFrame ?? 0) + 1) / media.fps).toFixed(2)} s`
              : 'Flag episode'}
          </Button>
        </div>
      )}
      {isWhole && (
        <Dialog title={`Episode ${index}`} open={isSheetOpen} onClose={() => setSheetOpen(false)} sheet="part">
          <div className="inspector-sheet">{inspector}</div>
          <ViewOptions dataset={dataset} view={view} isLooping={clock.isLooping} onLoop={toggleLoop} />
        </Dialog>
      )}
      {isWhole && (
        <Preload dataset={dataset} next={after} previous={before} open={media.streams.map(({ url }) => url)} />
      )}
    </div>
  )
}
