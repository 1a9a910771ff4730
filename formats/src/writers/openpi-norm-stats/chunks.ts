import type { Dataset, Episode } from '../../dataset.ts'
import type { ColumnFeature, NumericArray } from '../../feature.ts'
import { toDoubles } from '../../statistics/doubles.ts'

/** What a policy of openpi is trained on: at every frame, the next `horizon` actions, the last one repeated at the episode's end. */
export interface ChunkPlan {
  readonly actions: ColumnFeature
  readonly state: ColumnFeature
  readonly actionSize: number
  readonly stateSize: number
  readonly horizon: number
  /** Dimensions that are told as distances from the state of the chunk's first frame. */
  readonly isDelta: readonly boolean[]
}

/** Values that are given out at once. */
const blockValues = 65_536

/** Rows of actions, every chunk after the other; an episode is held by `horizon` rows and a block. */
export async function* readChunks(
  dataset: Dataset,
  plan: ChunkPlan,
  signal: AbortSignal | undefined,
): AsyncGenerator<Float64Array> {
  for (let position = 0; position < dataset.episodeCount; position++)
    yield* readEpisodeChunks(dataset.getEpisode(position), plan, signal)
}

async function* readEpisodeChunks(
  episode: Episode,
  plan: ChunkPlan,
  signal: AbortSignal | undefined,
): AsyncGenerator<Float64Array> {
  const { actions, state, actionSize, stateSize, horizon } = plan
  const sink = new ChunkSink(plan)
  // Rows whose chunk is not whole yet, with what follows them.
  let held = { actions: new Float64Array(0), state: new Float64Array(0), count: 0 }
  const request = { columns: [actions.name, state.name], ...(signal && { signal }) }
  for await (const block of episode.readBlocks(request)) {
    const take = (name: string) => toDoubles(block.columns.get(name) as NumericArray)
    const rows = {
      actions: join(held.actions, take(actions.name)),
      state: join(held.state, take(state.name)),
      count: held.count + block.frameCount,
    }
    const wholeCount = Math.max(0, rows.count - horizon + 1)
    for (let first = 0; first < wholeCount; first++) yield* sink.add(rows, first)
    held = {
      actions: rows.actions.slice(wholeCount * actionSize),
      state: rows.state.slice(wholeCount * stateSize),
      count: rows.count - wholeCount,
    }
  }
  for (let first = 0; first < held.count; first++) yield* sink.add(held, first)
  yield* sink.flush()
}

interface HeldRows {
  readonly actions: Float64Array
  readonly state: Float64Array
  readonly count: number
}

class ChunkSink {
  readonly #plan: ChunkPlan
  readonly #values: Float64Array
  #length = 0

  constructor(plan: ChunkPlan) {
    this.#plan = plan
    const chunkValues = plan.horizon * plan.actionSize
    this.#values = new Float64Array(Math.max(1, Math.floor(blockValues / chunkValues)) * chunkValues)
  }

  *add({ actions, state, count }: HeldRows, first: number): Generator<Float64Array> {
    const { actionSize, stateSize, horizon, isDelta } = this.#plan
    for (let step = 0; step < horizon; step++) {
      const row = Math.min(first + step, count - 1) * actionSize
      for (let dimension = 0; dimension < actionSize; dimension++) {
        const origin = isDelta[dimension] ? (state[first * stateSize + dimension] as number) : 0
        this.#values[this.#length++] = (actions[row + dimension] as number) - origin
      }
    }
    if (this.#length === this.#values.length) yield* this.flush()
  }

  *flush(): Generator<Float64Array> {
    if (this.#length > 0) yield this.#values.subarray(0, this.#length)
    this.#length = 0
  }
}

function join(held: Float64Array, next: Float64Array): Float64Array<ArrayBuffer> {
  const joined = new Float64Array(held.length + next.length)
  joined.set(held)
  joined.set(next, held.length)
  return joined
}
