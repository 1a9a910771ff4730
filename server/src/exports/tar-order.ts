import { compareText } from '@nmp/formats/file-tree'

const video = /^videos\/(.+)\/chunk-(\d+)\/file-(\d+)\.mp4$/

/** The cameras of a LeRobot dataset, by the paths of its files. */
export const listCameras = (paths: Iterable<string>): string[] => {
  const cameras = new Set<string>()
  for (const path of paths) {
    const camera = video.exec(path)?.[1]
    if (camera !== undefined) cameras.add(camera)
  }
  return [...cameras].sort(compareText)
}

/**
 * Videos first, the n-th file of every camera before the n+1-th of any, because they are finished first; then the rest by path. The
 * checksum of an artifact is that of its files in this order, and its tar is made anew for every download: the order stays as it is.
 */
export function orderFiles<File extends { path: string }>(files: readonly File[], cameras: readonly string[]): File[] {
  const places = new Map(cameras.map((camera, place) => [camera, place]))
  const findPlace = ({ path }: File): [number, number] => {
    const [, camera = '', chunk, file] = video.exec(path) ?? []
    const place = places.get(camera)
    return place === undefined ? [Number.MAX_SAFE_INTEGER, 0] : [Number(chunk) * 1000 + Number(file), place]
  }
  return files
    .map((file) => ({ file, place: findPlace(file) }))
    .sort(
      ({ file: one, place: [number, camera] }, { file: other, place: [otherNumber, otherCamera] }) =>
        number - otherNumber || camera - otherCamera || compareText(one.path, other.path),
    )
    .map(({ file }) => file)
}

/** The finished video that comes next whatever is still to be finished. */
export function nextVideo<File extends { path: string }>(
  files: ReadonlyMap<string, File>,
  packedCount: number,
  cameras: readonly string[],
): File | undefined {
  if (cameras.length === 0) return undefined
  const number = Math.floor(packedCount / cameras.length)
  const camera = cameras[packedCount % cameras.length]
  const pad = (part: number) => String(part).padStart(3, '0')
  return files.get(`videos/${camera}/chunk-${pad(Math.floor(number / 1000))}/file-${pad(number % 1000)}.mp4`)
}
