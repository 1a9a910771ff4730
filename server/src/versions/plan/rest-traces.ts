import { type RestTraces, traceRests } from '@nmp/formats/statistics/idle'
import type { Context } from '../../context.ts'

/** Some four million frames. Of what does not fit the first episodes are kept, and the others read each time. */
const keptBytes = 64 * 1024 * 1024

interface Kept {
  /** Least recently used first: by source and signal, then by episode. */
  sources: Map<string, Map<number, RestTraces>>
  sizeBytes: number
}

const caches = new WeakMap<Context, Kept>()

const measure = ({ steps, drifts, gripping }: RestTraces): number =>
  steps.byteLength + drifts.byteLength + gripping.byteLength

/** Traces of one signal of one source, read once while thresholds are tried on it; sources that were not asked about lately give way. */
export function keepTraces(context: Context, key: string): typeof traceRests {
  const cache = caches.get(context) ?? { sources: new Map(), sizeBytes: 0 }
  caches.set(context, cache)
  const own = cache.sources.get(key) ?? new Map<number, RestTraces>()
  cache.sources.delete(key)
  cache.sources.set(key, own)
  return async (dataset, position, scale) => {
    const known = own.get(position)
    if (known) return known
    const traces = await traceRests(dataset, position, scale)
    const sizeBytes = measure(traces)
    makeRoom(cache, own, sizeBytes)
    // Another request may have kept it meanwhile, and a source that gave way is not counted any more.
    if (cache.sizeBytes + sizeBytes <= keptBytes && cache.sources.get(key) === own && !own.has(position)) {
      own.set(position, traces)
      cache.sizeBytes += sizeBytes
    }
    return traces
  }
}

function makeRoom(cache: Kept, own: Map<number, RestTraces>, sizeBytes: number): void {
  for (const [key, traces] of cache.sources) {
    if (cache.sizeBytes + sizeBytes <= keptBytes || traces === own) return
    cache.sources.delete(key)
    for (const one of traces.values()) cache.sizeBytes -= measure(one)
  }
}
