import type { KeptRanges } from '../../frame-ranges.ts'

/** Encoders whose streams may have the decoder configuration of another's: by the codec of the video. */
export const joinableCodecs: Readonly<Partial<Record<string, 'av1' | 'h264'>>> = { av1: 'av1', h264: 'h264' }

const shortestPiece = 4

/** Pieces of so few frames, as a lower rate leaves them, are not joined one by one where some have to be encoded. */
export const isScattered = (picked: KeptRanges, frameCount: number): boolean =>
  picked.length > 1 && frameCount < shortestPiece * picked.length
