import { Picture } from '../parts/picture.tsx'

interface PosterProps {
  dataset: { id: string; revision_id: string; visibility: 'private' | 'public' }
  episode: number
  camera: string
  frame: number
  /** Pixels asked for; the server has 160, 320, 640 and 1280. */
  pixels?: number
  alt?: string
  className?: string
  width?: number
  height?: number
  style?: React.CSSProperties
}

export const posterPath = (
  { id, revision_id }: { id: string; revision_id: string },
  episode: number,
  camera: string,
  frame: number,
  pixels: number,
): string =>
  `/api/v1/media/${id}/${revision_id}/poster?${new URLSearchParams({
    episode: String(episode),
    camera,
    frame: String(frame),
    width: String(pixels),
    format: 'webp',
  })}`

/** One frame of one camera. */
export const Poster = ({ dataset, episode, camera, frame, pixels = 160, alt = '', ...rest }: PosterProps) => (
  <Picture
    path={posterPath(dataset, episode, camera, frame, pixels)}
    isPublic={dataset.visibility === 'public'}
    alt={alt}
    {...rest}
  />
)
