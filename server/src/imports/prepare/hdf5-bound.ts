import type { Hdf5Summary } from '@nmp/formats/inspect/hdf5-summary'

/** A summary is part of every answer about its import. */
const mostBytes = 512 * 1024

/** Cuts a summary until it is small: first its attributes, then its lists. */
export function boundSummary(summary: Hdf5Summary): Hdf5Summary {
  let cut = toPlainJson(summary)
  if (sizeOf(cut) <= mostBytes) return cut
  cut = {
    ...cut,
    truncated: true,
    root_attrs: {},
    datasets: cut.datasets.map((entry) => ({ ...entry, attrs: {} })),
    groups: cut.groups.map((entry) => ({ ...entry, attrs: {} })),
  }
  for (let most = 500; sizeOf(cut) > mostBytes && most > 0; most = Math.floor(most / 2)) {
    cut = {
      ...cut,
      datasets: cut.datasets.slice(0, most),
      groups: cut.groups.slice(0, most),
      episodes: cut.episodes.slice(0, most),
      preview_candidates: Object.fromEntries(
        Object.entries(cut.preview_candidates).map(([kind, list]) => [kind, list.slice(0, most)]),
      ) as unknown as Hdf5Summary['preview_candidates'],
    }
  }
  return cut
}

const sizeOf = (summary: Hdf5Summary): number => Buffer.byteLength(JSON.stringify(summary))

/** PostgreSQL's JSON takes no NUL; HDF5 attributes are padded with them now and then. */
const toPlainJson = (summary: Hdf5Summary): Hdf5Summary =>
  JSON.parse(
    JSON.stringify(summary, (_, value) =>
      typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
    ),
  )
