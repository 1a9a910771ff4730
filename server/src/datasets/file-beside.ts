/** What the writer makes anew, whether a set has it or not; and our own notes of an earlier import. */
const rewritten =
  /^meta\/(info\.json|stats\.json|tasks\.(jsonl|parquet)|episodes\.jsonl|episodes_stats\.jsonl|episodes\/.*|nmp-.*)$/
/** Rows and pictures: what the metadata names of them is in the dataset, and the rest would be taken for part of it. */
const recorded = /\.(parquet|arrow|mp4|mkv|avi|mov|webm|png|jpe?g|tiff?|hdf5|h5|hdf|npz?|tar|tgz|gz|zip)$/i
/** Where a LeRobot set has them; any other source has them anywhere. */
const recordedFolder = /^(data|videos|images)\//

/** A file that is no part of the recordings: the card, a licence, calibration, notes. It goes wherever the dataset goes. */
export const isFileBeside = (path: string, { isLeRobot }: { isLeRobot: boolean }): boolean =>
  !rewritten.test(path) && !(recorded.test(path) && (recordedFolder.test(path) || !isLeRobot))

/** Whether a file can be put beside those that were written: no folder of theirs has its name, and none of them that of its folders. */
export function createPlaceCheck(written: readonly { path: string }[]): (path: string) => boolean {
  const files = new Set(written.map(({ path }) => path))
  const folders = new Set(written.flatMap(({ path }) => listFolders(path)))
  return (path) => !files.has(path) && !folders.has(path) && !listFolders(path).some((folder) => files.has(folder))
}

const listFolders = (path: string): string[] => {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
