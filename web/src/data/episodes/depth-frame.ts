import { queryOptions } from '@tanstack/react-query'
import { client } from '../../session/client.ts'
import { readGreyPng } from '../read-grey-png.ts'

/** Distances of one frame, row by row. */
export interface DepthFrame {
  frame: number
  width: number
  height: number
  /** Zero is where nothing was measured. */
  millimetres: Uint16Array
}

interface DepthPlace {
  dataset: { id: string; revision_id: string }
  episode: number
  camera: string
  frame: number
  /** Pixels asked for, as of a poster. */
  pixels: number
}

/** A second of playing is megabytes; what is looked at again comes from the browser's own cache. */
const keptMs = 5000

/** While a frame is on its way the one before stays, but none of another episode or camera. */
export const depthQuery = ({ dataset, episode, camera, frame, pixels }: DepthPlace) => {
  const { id, revision_id } = dataset
  const strip = ['depth', id, revision_id, episode, camera, pixels]
  return queryOptions({
    queryKey: [...strip, frame],
    queryFn: async ({ signal }): Promise<DepthFrame> => {
      const input = { dataset_id: id, revision_id, episode, camera, frame, width: pixels }
      const answer = await client.media.getDepthFrame(input, { signal })
      const { width, height, values } = await readGreyPng(new Uint8Array(await answer.arrayBuffer()))
      return { frame, width, height, millimetres: values }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey.slice(0, -1)) === JSON.stringify(strip) ? before : undefined,
  })
}
