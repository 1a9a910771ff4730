/** So many rows are measured at once: what they take stays in the processor's own memory. */
const capacity = 128

/** The last rows of an episode, and room for the next ones behind them. */
export class RowWindow {
  readonly width: number
  readonly capacity = capacity
  readonly rows: Float64Array
  /** Where the new rows begin and end. */
  first: number
  last: number
  readonly #before: number

  /** `before`: how many rows are kept of those that went before. */
  constructor(width: number, before: number) {
    this.width = width
    this.#before = before
    this.first = before
    this.last = before
    this.rows = new Float64Array(width * (before + capacity))
  }

  /** Makes room for rows, which the caller then fills in. */
  begin(count: number): void {
    this.rows.copyWithin(0, (this.last - this.#before) * this.width, this.last * this.width)
    this.first = this.#before
    this.last = this.#before + count
  }

  /** How far each new row is from the one `back` before it, by frame. `frame` is that of the first new row. */
  measureSteps(into: Float64Array, frame: number, back: number): void {
    const skipped = Math.max(0, back - frame)
    fillSteps(into, frame + skipped - back, this, skipped, back)
  }

  measureBends(into: Float64Array, frame: number): void {
    const skipped = Math.max(0, 2 - frame)
    fillBends(into, frame + skipped - 2, this, skipped)
  }

  /** The third difference of rows that are `apart` frames from each other. */
  measureJolts(into: Float64Array, frame: number, apart: number): void {
    const skipped = Math.max(0, 3 * apart - frame)
    fillJolts(into, frame + skipped - 3 * apart, this, skipped, apart)
  }
}

function fillSteps(
  into: Float64Array,
  start: number,
  { rows, width, first, last }: RowWindow,
  skipped: number,
  back: number,
): void {
  const apart = back * width
  for (let row = first + skipped, frame = start; row < last; row++, frame++) {
    let square = 0
    const end = (row + 1) * width
    for (let at = row * width; at < end; at++) {
      const step = (rows[at] as number) - (rows[at - apart] as number)
      square += step * step
    }
    into[frame] = Math.sqrt(square) / back
  }
}

function fillBends(into: Float64Array, start: number, { rows, width, first, last }: RowWindow, skipped: number): void {
  for (let row = first + skipped, frame = start; row < last; row++, frame++) {
    let square = 0
    const end = (row + 1) * width
    for (let at = row * width; at < end; at++) {
      const bend = (rows[at] as number) - 2 * (rows[at - width] as number) + (rows[at - 2 * width] as number)
      square += bend * bend
    }
    into[frame] = Math.sqrt(square)
  }
}

function fillJolts(
  into: Float64Array,
  start: number,
  { rows, width, first, last }: RowWindow,
  skipped: number,
  lag: number,
): void {
  const apart = lag * width
  for (let row = first + skipped, frame = start; row < last; row++, frame++) {
    let square = 0
    const end = (row + 1) * width
    for (let at = row * width; at < end; at++) {
      const inner = (rows[at - apart] as number) - (rows[at - 2 * apart] as number)
      const jolt = (rows[at] as number) - 3 * inner - (rows[at - 3 * apart] as number)
      square += jolt * jolt
    }
    into[frame] = Math.sqrt(square)
  }
}
