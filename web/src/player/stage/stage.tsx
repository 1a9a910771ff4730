import type { EpisodeMedia } from '@nmp/sdk/generated/records'
import { useEffect, useRef } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import type { MediaStream } from '../../data/episodes/episode-rows.ts'
import type { FrameRange } from '../../data/recipe/frame-cuts.ts'
import type { PlayerClock } from '../clock.ts'
import { CameraView } from './camera-view.tsx'
import { useSwipe } from './swipe.ts'
import './cameras.css'

interface StageProps {
  dataset: Manifest
  media: EpisodeMedia
  clock: PlayerClock
  /** Frames that the draft cuts: shown, but dimmed. */
  gone: readonly FrameRange[]
  mainCamera: string | undefined
  onMainCamera(camera: string): void
}

/** So far a finger goes for one frame. */
const pixelsPerFrame = 10

/** The main camera large, the others beside it. Videos keep their element when the episode changes. */
export function Stage({ dataset, media, clock, gone, mainCamera, onMainCamera }: StageProps) {
  const main = media.streams.find(({ camera_key }) => camera_key === mainCamera) ?? media.streams[0]
  const others = media.streams.filter((stream) => stream !== main)
  const stage = useRef<HTMLDivElement>(null)
  const swipeFrom = useRef(0)
  const swipe = useSwipe({
    onStart: () => {
      clock.pause()
      swipeFrom.current = clock.frame
    },
    onMove: (dx) => clock.seek(swipeFrom.current + Math.trunc(dx / pixelsPerFrame)),
  })
  useEffect(
    () =>
      clock.onFrame((frame) => {
        const isGone = gone.some(([from, to]) => frame >= from && frame < to)
        if (stage.current) stage.current.dataset.gone = String(isGone)
      }),
    [clock, gone],
  )
  if (!main)
    return (
      <div className="cameras cameras-none">
        <p>No camera in this dataset. It only has the signals below.</p>
      </div>
    )
  return (
    <div className="cameras" ref={stage} data-testid="stage" {...swipe}>
      <span className="osd gone-word">cut by the draft</span>
      <CameraView
        key={main.camera_key}
        stream={main}
        dataset={dataset}
        episode={media.episode_index}
        clock={clock}
        isMain
        number={1}
        onPick={() => void stage.current?.querySelector('.camera.main')?.requestFullscreen?.()}
      />
      {others.length > 0 && (
        <div
          className="cameras-side"
          data-columns={others.length > 2 ? 2 : 1}
          style={{ aspectRatio: shapeOfSide(dataset, others) }}
        >
          {others.map((stream, at) => (
            <CameraView
              key={stream.camera_key}
              stream={stream}
              dataset={dataset}
              episode={media.episode_index}
              clock={clock}
              isMain={false}
              number={at + 2}
              onPick={() => onMainCamera(stream.camera_key)}
            />
          ))}
        </div>
      )}
    </div>
  )
}

/** One column of up to two, else two columns: as wide as its pictures are when they fill the height. */
function shapeOfSide(dataset: Manifest, others: readonly MediaStream[]): number {
  const columns = others.length > 2 ? 2 : 1
  const rows = Math.ceil(others.length / columns)
  const camera = dataset.observation.cameras.find(({ key }) => key === others[0]?.camera_key)
  return ((camera ? camera.width / camera.height : 4 / 3) * columns) / Math.max(1.4, rows)
}
