import { useEffect, useRef, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import type { MediaStream } from '../../data/episodes/episode-rows.ts'
import { posterPath } from '../../episode/poster.tsx'
import { formatTimecode } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { Picture } from '../../parts/picture.tsx'
import type { PlayerClock } from '../clock.ts'
import { ChangedFrame } from './changed-frame.tsx'
import { DepthCamera } from './depth-camera.tsx'
import { PosterOfFrame, type ShownProps, useSlowFrame } from './frame-poster.tsx'
import { useVideoFault } from './use-video-fault.ts'
import { videoFaultWords } from './video-fault.ts'
import './cameras.css'
import './depth.css'

interface CameraViewProps {
  stream: MediaStream
  dataset: Manifest
  episode: number
  clock: PlayerClock
  isMain: boolean
  number: number
  onPick(): void
}

export function CameraView({ stream, dataset, episode, clock, isMain, number, onPick }: CameraViewProps) {
  const camera = dataset.observation.cameras.find(({ key }) => key === stream.camera_key)
  const shown = { stream, dataset, episode, clock }
  return (
    <figure
      className={isMain ? 'camera main' : 'camera'}
      aria-label={`Camera ${stream.label}`}
      style={isMain && camera ? { aspectRatio: `${camera.width} / ${camera.height}` } : undefined}
    >
      {stream.depth?.unknown === null ? (
        <DepthCamera {...shown} isMain={isMain} range={stream.depth} />
      ) : stream.url === null ? (
        <PictureCamera {...shown} isMain={isMain} />
      ) : (
        <VideoCamera {...shown} url={stream.url.replace(/#.*$/, '')} />
      )}
      <span className="osd top-left">
        <b>{stream.label}</b>
        {camera && ` ${camera.width} x ${camera.height}`}
      </span>
      {isMain && stream.depth?.unknown && <span className="osd depth-note">No distances: {stream.depth.unknown}</span>}
      {isMain ? (
        <>
          <FrameOsd clock={clock} />
          <button type="button" className="osd top-right pressed" aria-label="Full screen" onClick={onPick}>
            <Icon name="expand" small />
          </button>
        </>
      ) : (
        <>
          <span className="osd mono top-right">{number}</span>
          <button
            type="button"
            className="camera-pick"
            aria-label={`Make ${stream.label} the large camera`}
            onClick={onPick}
          />
        </>
      )}
    </figure>
  )
}

/**
 * The poster of the very frame stands until the video has it. The element stays when the episode changes: where the next one lies in
 * the same file, it is only a seek, and until that is done nothing of the old one is to be seen.
 */
function VideoCamera({ stream, dataset, episode, clock, url }: ShownProps & { url: string }) {
  const ref = useRef<HTMLVideoElement>(null)
  const [readyFor, setReadyFor] = useState<PlayerClock>()
  const { fault, onError, tryAgain } = useVideoFault(ref, url, dataset.id, episode)
  // The file says how large its frames are; the poster stands until it is here.
  const [stored, setStored] = useState({ width: 16, height: 9 })
  const { from_sec: fromSec, to_sec: toSec } = stream
  useEffect(() => {
    const video = ref.current
    if (!video) return
    const from = fromSec ?? 0
    const look = () => {
      if (video.currentTime >= from && video.currentTime < (toSec ?? Number.POSITIVE_INFINITY)) setReadyFor(clock)
    }
    video.addEventListener('seeked', look)
    const detach = clock.attach(stream.camera_key, video, from)
    if (!video.seeking && video.readyState >= 2) look()
    return () => {
      video.removeEventListener('seeked', look)
      detach()
    }
  }, [clock, stream.camera_key, fromSec, toSec])
  const isReady = readyFor === clock
  const video = (
    <video
      ref={ref}
      src={url}
      muted
      playsInline
      preload="auto"
      disablePictureInPicture
      onError={onError}
      onLoadedMetadata={({ currentTarget: { videoWidth: width, videoHeight: height } }) => setStored({ width, height })}
      style={{ opacity: isReady ? 1 : 0 }}
      aria-label={`Video of ${stream.label}`}
    />
  )
  return (
    <>
      {stream.transforms.length > 0 ? (
        <ChangedFrame {...stored} changes={stream.transforms}>
          {video}
        </ChangedFrame>
      ) : (
        video
      )}
      {!isReady && <PosterOfFrame stream={stream} dataset={dataset} episode={episode} clock={clock} />}
      {fault && (
        <span className="osd camera-fault" role="alert">
          {videoFaultWords[fault]}
          {fault !== 'format' && (
            <button type="button" className="link" onClick={tryAgain}>
              Try again
            </button>
          )}
        </span>
      )}
    </>
  )
}

/** Cameras stored as pictures: the poster of the frame, as fast as it comes. */
function PictureCamera({ stream, dataset, episode, clock, isMain }: ShownProps & { isMain: boolean }) {
  const frame = useSlowFrame(clock)
  return (
    <Picture
      path={posterPath(dataset, episode, stream.camera_key, frame, isMain ? 640 : 320)}
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
  return <span ref={ref} className="osd mono keep-spaces bottom-left" />
}
