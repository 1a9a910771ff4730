import { useEffect, useRef, useState } from 'react'
import { posterPath } from '../dataset/poster.tsx'
import type { Manifest } from '../dataset/queries.ts'
import { formatTimecode } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Picture } from '../parts/picture.tsx'
import type { PlayerClock } from './clock.ts'
import type { EpisodeMedia, MediaStream } from './queries.ts'

interface StageProps {
  dataset: Manifest
  media: EpisodeMedia
  clock: PlayerClock
  mainCamera: string | undefined
  onMainCamera(camera: string): void
}

/** The main camera large, the others beside it. Videos keep their element when the main one changes. */
export function Stage({ dataset, media, clock, mainCamera, onMainCamera }: StageProps) {
  const main = media.streams.find(({ camera_key }) => camera_key === mainCamera) ?? media.streams[0]
  const others = media.streams.filter((stream) => stream !== main)
  const stage = useRef<HTMLDivElement>(null)
  if (!main) return <div className="cams" style={{ placeItems: 'center' }} />
  return (
    <div className="cams" ref={stage} data-testid="stage">
      <CameraView
        key={main.camera_key}
        stream={main}
        dataset={dataset}
        media={media}
        clock={clock}
        isMain
        number={1}
        onPick={() => void stage.current?.querySelector('.cam.main')?.requestFullscreen?.()}
      />
      {others.length > 0 && (
        <div
          className="cams-side"
          data-columns={others.length > 2 ? 2 : 1}
          style={{ aspectRatio: shapeOfSide(dataset, others) }}
        >
          {others.map((stream, at) => (
            <CameraView
              key={stream.camera_key}
              stream={stream}
              dataset={dataset}
              media={media}
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

interface CameraViewProps {
  stream: MediaStream
  dataset: Manifest
  media: EpisodeMedia
  clock: PlayerClock
  isMain: boolean
  number: number
  onPick(): void
}

function CameraView({ stream, dataset, media, clock, isMain, number, onPick }: CameraViewProps) {
  const camera = dataset.observation.cameras.find(({ key }) => key === stream.camera_key)
  return (
    <figure
      className={isMain ? 'cam main' : 'cam'}
      aria-label={`Camera ${stream.label}`}
      style={isMain && camera ? { aspectRatio: `${camera.width} / ${camera.height}` } : undefined}
    >
      {stream.url === null ? (
        <PictureCamera stream={stream} dataset={dataset} clock={clock} isMain={isMain} />
      ) : (
        <VideoCamera stream={stream} dataset={dataset} clock={clock} media={media} url={stream.url} />
      )}
      <span className="osd" style={{ left: 8, top: 8 }}>
        <b>{stream.label}</b>
        {camera && ` ${camera.width} x ${camera.height}`}
      </span>
      {isMain ? (
        <>
          <FrameOsd clock={clock} />
          <button
            type="button"
            className="osd"
            style={{ right: 8, top: 8, padding: 3 }}
            aria-label="Full screen"
            onClick={onPick}
          >
            <Icon name="expand" small />
          </button>
        </>
      ) : (
        <>
          <span className="osd mono" style={{ right: 8, top: 8 }}>
            {number}
          </span>
          <button
            type="button"
            className="cam-pick"
            aria-label={`Make ${stream.label} the large camera`}
            onClick={onPick}
          />
        </>
      )}
    </figure>
  )
}

interface VideoCameraProps {
  stream: MediaStream
  dataset: Manifest
  clock: PlayerClock
  media: EpisodeMedia
  url: string
}

/** The poster of the very frame stands until the video has it. */
function VideoCamera({ stream, dataset, clock, url }: VideoCameraProps) {
  const ref = useRef<HTMLVideoElement>(null)
  const [isReady, setReady] = useState(false)
  const [fault, setFault] = useState(false)
  const [startFrame] = useState(() => clock.frame)
  useEffect(() => {
    const video = ref.current
    if (!video) return
    return clock.attach(stream.camera_key, video, stream.from_sec ?? 0)
  }, [clock, stream.camera_key, stream.from_sec])
  return (
    <>
      <video
        ref={ref}
        src={url.replace(/#.*$/, '')}
        muted
        playsInline
        preload="auto"
        disablePictureInPicture
        onSeeked={() => setReady(true)}
        onError={() => setFault(true)}
        style={{ opacity: isReady ? 1 : 0 }}
        aria-label={`Video of ${stream.label}`}
      />
      {!isReady && (
        <Picture
          path={posterPath(dataset, clock.frames > 0 ? indexOf(stream) : 0, stream.camera_key, startFrame, 640)}
          isPublic={dataset.visibility === 'public'}
          alt=""
          className="poster-under"
        />
      )}
      {fault && (
        <span className="osd" style={{ left: 8, bottom: 8 }} role="alert">
          This browser cannot play the video; the posters still show every frame.
        </span>
      )}
    </>
  )
}

const indexOf = ({ poster_url }: MediaStream): number => Number(new URL(poster_url).searchParams.get('episode') ?? 0)

interface PictureCameraProps {
  stream: MediaStream
  dataset: Manifest
  clock: PlayerClock
  isMain: boolean
}

/** Cameras stored as pictures: the poster of the frame, as fast as it comes. */
function PictureCamera({ stream, dataset, clock, isMain }: PictureCameraProps) {
  const [frame, setFrame] = useState(clock.frame)
  useEffect(() => {
    let last = 0
    let timer: ReturnType<typeof setTimeout>
    const stop = clock.onFrame((next) => {
      clearTimeout(timer)
      const now = performance.now()
      if (now - last > 120) {
        last = now
        setFrame(next)
      } else timer = setTimeout(() => setFrame(next), 120)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [clock])
  return (
    <Picture
      path={posterPath(dataset, indexOf(stream), stream.camera_key, frame, isMain ? 640 : 320)}
      isPublic={dataset.visibility === 'public'}
      alt={`Camera ${stream.label}, frame ${frame}`}
    />
  )
}

function FrameOsd({ clock }: { clock: PlayerClock }) {
  const ref = useRef<HTMLSpanElement>(null)
  useEffect(
    () =>
      clock.onFrame((frame) => {
        if (ref.current) ref.current.textContent = `frame ${frame}  ${formatTimecode(frame / clock.fps)}`
      }),
    [clock],
  )
  return <span ref={ref} className="osd mono whitespace-pre" style={{ left: 8, bottom: 8 }} />
}
