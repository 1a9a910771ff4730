import type { Camera, Manifest } from '../data/dataset.ts'
import { Picture } from '../parts/picture.tsx'
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
  const shape = camera.width / Math.max(1, camera.height)
  const tall = Math.max(height, width / shape)
  return (
    <span className="sprite-tile" style={{ width, height }}>
      <i style={{ width: tall * shape, height: tall }}>
        <Picture
          path={path}
          isPublic={dataset.visibility === 'public'}
          alt=""
          style={{
            width: tall * shape,
            height: count * tall,
            transform: `translateY(${-(episode - offset) * tall}px)`,
          }}
        />
      </i>
    </span>
  )
}
