import type { Camera, Manifest } from '../data/dataset.ts'
import { useFetchedPicture } from '../parts/picture.tsx'
import './sprite-tile.css'

const tilesOfSprite = 50
/** Where in an episode its frame is taken: the hands are at work there. */
const atPercent = 45

interface SpriteTileProps {
  dataset: Pick<Manifest, 'id' | 'revision_id' | 'visibility' | 'metrics'>
  camera: Camera
  episode: number
  width: number
  height: number
}

/** A frame of an episode, cut from the one picture that holds those of its fifty neighbours. */
export function SpriteTile({ dataset, camera, episode, width, height }: SpriteTileProps) {
  const offset = Math.floor(episode / tilesOfSprite) * tilesOfSprite
  const count = Math.min(tilesOfSprite, dataset.metrics.total_episodes - offset)
  const query = new URLSearchParams({
    camera: camera.key,
    offset: String(offset),
    limit: String(tilesOfSprite),
    at: String(atPercent),
  })
  const path = `/api/v1/media/${dataset.id}/${dataset.revision_id}/episode-sprite?${query}`
  const isPublic = dataset.visibility === 'public'
  const fetched = useFetchedPicture(isPublic ? undefined : path)
  const url = isPublic ? path : fetched
  const shape = camera.width / Math.max(1, camera.height)
  const tall = Math.max(height, width / shape)
  const place = count > 1 ? ((episode - offset) / (count - 1)) * 100 : 0
  return (
    <span className="sprite-tile" style={{ width, height }}>
      {url && (
        <i
          style={{
            width: tall * shape,
            height: tall,
            backgroundImage: `url("${url}")`,
            backgroundSize: `100% ${count * 100}%`,
            backgroundPosition: `0 ${place}%`,
          }}
        />
      )}
    </span>
  )
}
