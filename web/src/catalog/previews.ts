import type { CatalogItem } from './queries.ts'

/** The sprite and the clip of the poster's episode stand beside it; datasets of the catalog are public, so no signature is needed. */
export function findPreviews({ poster_url: poster }: Pick<CatalogItem, 'poster_url'>): {
  spriteUrl: string | undefined
  clipUrl: string | undefined
} {
  if (!poster) return { spriteUrl: undefined, clipUrl: undefined }
  const url = new URL(poster, location.origin)
  const base = url.pathname.replace(/\/poster$/, '')
  const query = new URLSearchParams({
    episode: url.searchParams.get('episode') ?? '0',
    camera: url.searchParams.get('camera') ?? '',
  })
  return { spriteUrl: `${base}/sprite?${query}`, clipUrl: `${base}/clip?${query}` }
}
