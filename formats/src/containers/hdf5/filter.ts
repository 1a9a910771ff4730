/** HDF5 filters: which are built in, which plugin brings the others, and which cannot be read. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { FormatError } from '../../errors.ts'

const names: Readonly<Record<number, string>> = {
  1: 'gzip',
  2: 'shuffle',
  3: 'fletcher32',
  4: 'szip',
  5: 'nbit',
  6: 'scaleoffset',
  307: 'bzip2',
  32000: 'lzf',
  32001: 'blosc',
  32004: 'lz4',
  32008: 'bitshuffle',
  32013: 'zfp',
  32015: 'zstd',
  32026: 'blosc2',
}

const plugins: Readonly<Record<number, string>> = {
  307: 'libH5Zbz2.so',
  32000: 'libH5Zlzf.so',
  32001: 'libH5Zblosc.so',
  32004: 'libH5Zlz4.so',
  32008: 'libH5Zbshuf.so',
  32013: 'libH5Zzfp.so',
  32015: 'libH5Zzstd.so',
  32026: 'libH5Zblosc2.so',
}

const firstPluginId = 256
const bloscCompressors = ['blosclz', 'lz4', 'lz4hc', 'snappy', 'zlib', 'zstd']

export interface FilterFacts {
  readonly id: number
  readonly name: string
  readonly cd_values: readonly number[]
}

export function nameFilter(filter: FilterFacts): string {
  return names[filter.id] ?? (filter.name || `filter ${filter.id}`)
}

/** Why a dataset with these filters cannot be read, as the end of a sentence. */
export function findFilterRefusal(filters: readonly FilterFacts[]): string | undefined {
  for (const filter of filters) {
    if (filter.id === 32001) {
      const compressor = bloscCompressors[filter.cd_values[6] ?? 0]
      if (compressor === 'zlib' || compressor === 'snappy') {
        return `it is compressed with Blosc and ${compressor}, which is not supported; recompress with h5repack (gzip or Blosc with lz4 or zstd)`
      }
    }
    if (filter.id >= firstPluginId && !plugins[filter.id]) {
      return `its compression ${nameFilter(filter)} (filter ${filter.id}) is not supported; recompress with h5repack (gzip)`
    }
  }
  return undefined
}

/** The plugin a filter needs: a WebAssembly module of the h5wasm-plugins package, never of an upload. */
export function findPlugin(filterId: number): { name: string; bytes: Uint8Array } | undefined {
  const name = plugins[filterId]
  if (!name) return undefined
  const package_ = createRequire(import.meta.url).resolve('h5wasm-plugins/package.json')
  try {
    return { name, bytes: readFileSync(join(package_, '..', 'plugins', name)) }
  } catch (cause) {
    throw new FormatError('unsupported', `The plugin for ${names[filterId]} is not installed.`, { cause })
  }
}
