import { constants } from 'node:fs'
import { copyFile, link, mkdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileEntry, FileTree } from '@nmp/formats/file-tree'
import { Findings } from '@nmp/formats/finding'
import { createPlaceCheck, isFileBeside } from '../../datasets/file-beside.ts'
import { isInGitFolder } from '../../datasets/git-folder.ts'

const largest = { fileBytes: 64 * 1024 ** 2, totalBytes: 1024 ** 3, files: 10_000 }

/**
 * Files of a source that are no part of its recordings: its card, licence, calibration, notes. They are kept where they lie, beside the
 * canonical files, and go wherever the dataset goes.
 */
export async function keepFilesBeside(
  tree: FileTree,
  datasetFolder: string,
  written: readonly FileEntry[],
  isLeRobot: boolean,
): Promise<{ files: FileEntry[]; findings: Findings['list'] }> {
  const taken = new Set(written.map(({ path }) => path))
  const hasPlace = createPlaceCheck(written)
  const findings = new Findings()
  const files: FileEntry[] = []
  let totalBytes = 0
  let ofGit = 0
  for (const file of await tree.list()) {
    const { path, sizeBytes } = file
    if (taken.has(path) || !isFileBeside(path, { isLeRobot }) || (await isOwnCard(tree, file))) continue
    if (isInGitFolder(path)) {
      ofGit += 1
      continue
    }
    if (!hasPlace(path)) {
      findings.add('file-left-out', `${path} (${sizeBytes} bytes) has the name of a part of the dataset. Rename it.`)
      continue
    }
    totalBytes += sizeBytes
    if (sizeBytes > largest.fileBytes || totalBytes > largest.totalBytes || files.length >= largest.files) {
      totalBytes -= sizeBytes
      findings.add('file-left-out', `${path} (${sizeBytes} bytes) is too large to be kept with the dataset.`)
      continue
    }
    await placeFile(await realpath(await tree.locate(path)), join(datasetFolder, path))
    files.push(file)
  }
  if (ofGit > 0) findings.add('git-not-kept', `${ofGit} files of \`.git\` are not kept.`)
  return { files, findings: findings.list }
}

/** A card that another nmp made for want of one is made here again. */
const isOwnCard = async (tree: FileTree, { path, sizeBytes }: FileEntry): Promise<boolean> =>
  path === 'README.md' &&
  sizeBytes < 10_000 &&
  (await readFile(await tree.locate(path), 'utf8')).includes('\nA LeRobot v3.0 dataset, served by nmp.\n')

async function placeFile(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL))
}
