import type { Block, BlockRequest } from '../../dataset.ts'

/** Whole episodes, by their position. */
type ReadEpisode = (position: number, request: Omit<BlockRequest, 'startFrame' | 'endFrame'>) => AsyncIterable<Block>

interface Reading {
  readonly name: string
  readonly first: Promise<IteratorResult<Block>>
  readonly blocks: AsyncIterator<Block>
}

/**
 * For whoever reads episodes in their order: the first block of the next one is read while this one's is worked on, so that the process
 * that reads the file and this one do not wait for each other. One block is held at a time.
 */
export function readAhead(read: ReadEpisode, isBefore: (position: number) => boolean): ReadEpisode {
  let ahead: Reading | undefined
  let last = ''
  const begin: (...reading: Parameters<ReadEpisode>) => Reading = (position, request) => {
    const blocks = read(position, request)[Symbol.asyncIterator]()
    const first = blocks.next()
    // Whoever comes to the episode learns of its failure.
    first.catch(() => undefined)
    return { name: nameReading(position, request), first, blocks }
  }
  return async function* readInOrder(position, request) {
    const name = nameReading(position, request)
    const isNext = last === nameReading(position - 1, request)
    last = name
    const { first, blocks } = ahead?.name === name ? ahead : begin(position, request)
    ahead = undefined
    try {
      let step = await first
      if (isNext && isBefore(position)) ahead = begin(position + 1, request)
      for (; !step.done; step = await blocks.next()) yield step.value
    } finally {
      await blocks.return?.()
    }
  }
}

const nameReading = (position: number, { columns }: BlockRequest): string => `${position} ${JSON.stringify(columns)}`
