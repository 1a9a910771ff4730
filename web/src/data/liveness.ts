import { createStore, useStore } from '../session/store.ts'

interface LiveProject {
  org: string
  project: string
}

/** The project whose live stream is open. */
export const liveness = createStore<LiveProject | undefined>(undefined)

/** For the word beside lists that move by themselves. */
export const useIsLive = (): boolean => useStore(liveness) !== undefined

/** Between two looks at what the stream tells as well: one that was lost is made up for. */
const besideStreamMs = 15_000

/** How often to look at something of a project that moves by itself. */
export function chooseFollowMs(
  place: { org_slug: string; project_slug: string } | undefined,
  withoutStreamMs: number,
): number {
  const told = liveness.get()
  const isTold = told !== undefined && told.org === place?.org_slug && told.project === place.project_slug
  return isTold ? besideStreamMs : withoutStreamMs
}
