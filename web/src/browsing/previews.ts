import type { CardItem } from '../data/catalog.ts'

export interface Previews {
  posterUrl: string
  spriteUrl: string
  clipUrl: string
}

/** Sprite and clip of the poster's episode, by camera: without a signature, since public ones need none and others are fetched with the session. */
export function findPreviews(item: Pick<CardItem, 'poster_url' | 'camera_keys'>, camera: number): Previews | undefined {
  const key = item.camera_keys[camera]
  if (!item.poster_url || key === undefined) return undefined
  const url = new URL(item.poster_url, location.origin)
  const base = url.pathname.replace(/\/poster$/, '')
  const query = new URLSearchParams({ episode: url.searchParams.get('episode') ?? '0', camera: key })
  return {
    posterUrl: `${base}/poster?${query}&frame=0&width=640&format=webp`,
    spriteUrl: `${base}/sprite?${query}`,
    clipUrl: `${base}/clip?${query}`,
  }
}
