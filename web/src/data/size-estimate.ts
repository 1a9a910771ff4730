import type { VersionPreview } from '@nmp/sdk/generated/records'

interface Estimated {
  estimate: VersionPreview['estimate']
}

const againMs = 1000

/** The server encodes some frames to know a size: it is asked again while it does. */
export const askWhileMeasuring = (answer: Estimated | undefined): number | false =>
  answer?.estimate === 'measuring' ? againMs : false

export const sizeNames: Record<VersionPreview['estimate'], string> = {
  settled: 'Size, est.',
  measuring: 'Size, measuring',
  rough: 'Size, rough',
}

/** What the word beside the size means, where it is not as usual. */
export const sizeMeanings: Partial<Record<VersionPreview['estimate'], string>> = {
  measuring: 'Some frames are being encoded to measure the size; it changes once more, by itself.',
  rough: 'No frames could be encoded to measure the size, so it goes by the number of pixels and may be far off.',
}
