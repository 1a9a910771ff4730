import type { EpisodeMeasures } from '../../statistics/standouts.ts'

/** The scores of Insights, by position. */
export class EpisodeScores implements EpisodeMeasures {
  readonly seconds: Float64Array
  readonly share: Float64Array
  readonly stillSeconds: Float64Array
  readonly longestStillSeconds: Float64Array
  readonly pace: Float64Array
  readonly shake: Float64Array

  constructor(lengths: Uint32Array, fps: number) {
    this.seconds = Float64Array.from(lengths, (length) => length / fps)
    const create = () => new Float64Array(lengths.length)
    this.share = create()
    this.stillSeconds = create()
    this.longestStillSeconds = create()
    this.pace = create()
    this.shake = create()
  }

  set(position: number, scores: { [Name in 'stillSeconds' | 'longestStillSeconds' | 'pace' | 'shake']: number }): void {
    this.stillSeconds[position] = scores.stillSeconds
    this.longestStillSeconds[position] = scores.longestStillSeconds
    this.pace[position] = scores.pace
    this.shake[position] = scores.shake
  }
}
