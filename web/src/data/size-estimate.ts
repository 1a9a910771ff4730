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
