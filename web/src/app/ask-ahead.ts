import { manifestQuery, navigationQuery } from '../data/dataset.ts'
import { mediaQuery } from '../data/episodes/episode-rows.ts'
import { queryClient } from '../session/query-client.ts'

const datasetAddress = /^\/datasets\/([^/]+)/
const episodeAddress = /^\/datasets\/([^/]+)\/episodes\/(\d+)$/

/** The scripts of the page of a link come beside those that draw every page; who is asking makes no difference to them. */
export function loadPage(path: string): void {
  if (path === '/') void import('../catalog/catalog-page.tsx')
  else if (episodeAddress.test(path)) void import('../player/player-page.tsx')
  else if (datasetAddress.test(path)) void import('../dataset/dataset-page.tsx')
}

/**
 * What the page of a link shows is asked for beside the scripts that draw it: one after the other, an episode's first picture would wait
 * for the router, then for the player, and only then for its addresses.
 */
export function askAhead(path: string): void {
  const datasetId = datasetAddress.exec(path)?.[1]
  if (datasetId === undefined) return
  void queryClient.prefetchQuery(manifestQuery(datasetId))
  const episode = Number(episodeAddress.exec(path)?.[2])
  if (Number.isNaN(episode)) return
  askForEpisode(datasetId, episode)
  void queryClient.fetchQuery(mediaQuery(datasetId, episode)).then(
    ({ streams }) => loadVideo(streams.find(({ depth }) => depth === null)?.url ?? null),
    // The page asks as well, and says what is wrong.
    () => undefined,
  )
}

export function askForEpisode(datasetId: string, episode: number): void {
  void queryClient.prefetchQuery(mediaQuery(datasetId, episode))
  void queryClient.prefetchQuery(navigationQuery(datasetId, episode))
}

/** A browser reads a file once for all elements that have its address: the one of the page finds what this one has read. */
function loadVideo(url: string | null): void {
  if (url === null) return
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = url.replace(/#.*$/, '')
}
