import type { Insights as InsightsPage } from '@nmp/sdk/generated/records'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export interface Insights {
  total: number
  supportsMotion: boolean
  signal: string | null
  medianStep: number | null
  lengthFrames: number[]
  /** What the recording says; empty where it says nothing. */
  success: boolean[]
  motion: number[]
  variance: number[]
  stillSeconds: number[]
  /** Every episode, in the order in which `filtering` finds those that stand out. */
  leastMotion: number[]
  mostVariance: number[]
  /** What is true of the set as a whole. */
  note: string | null
}

const pageSize = 10_000

/** Every episode, none sampled: as many pages as it takes. */
export const insightsQuery = (id: string) =>
  queryOptions({
    queryKey: ['insights', id],
    queryFn: async ({ signal }): Promise<Insights> => {
      const get = async (offset: number) =>
        (await client.catalog.getInsights({ dataset_id: id, offset, limit: pageSize }, { signal })).item
      const first = await get(0)
      const pages = [first]
      for (let offset = first.length_frames.length; offset < first.total; ) {
        const page = await get(offset)
        if (page.length_frames.length === 0) break
        pages.push(page)
        offset += page.length_frames.length
      }
      const join = (read: (page: InsightsPage) => number[]) => pages.flatMap(read)
      return {
        total: first.total,
        // A set of which nothing was measured, since nothing moves, has no numbers to draw.
        supportsMotion: first.supports_motion_insights && first.motion.length > 0,
        signal: first.signal,
        medianStep: first.median_step,
        lengthFrames: join((page) => page.length_frames),
        success: pages.flatMap((page) => page.success),
        motion: join((page) => page.motion),
        variance: join((page) => page.variance),
        stillSeconds: join((page) => page.still_seconds),
        leastMotion: join((page) => page.least_motion),
        mostVariance: join((page) => page.most_variance),
        note: first.note,
      }
    },
    staleTime: 10 * 60_000,
  })
