/** Every family of HDF5 files, in the order they are asked; the last takes what is left. */
import { FormatError } from '../../../errors.ts'
import type { FileTree } from '../../../file-tree.ts'
import type { Layout } from '../../layout.ts'
import { createHdf5Layout } from '../dataset.ts'
import { holdHdf5Files, listHdf5Files, openHdf5Files } from '../files.ts'
import type { Hdf5Family } from '../plan.ts'
import type { Hdf5Source } from '../source.ts'
import { agilex } from './agilex.ts'
import { aloha } from './aloha.ts'
import { d4rl } from './d4rl.ts'
import { droid } from './droid.ts'
import { generic } from './generic.ts'
import { isaacLab } from './isaac-lab.ts'
import { maniskill } from './maniskill.ts'
import { minari } from './minari.ts'
import { ph2d } from './ph2d.ts'
import { robohive } from './robohive.ts'
import { robomimic } from './robomimic.ts'
import { robomind } from './robomind.ts'
import { robonet } from './robonet.ts'
import { robotwin } from './robotwin.ts'

const families: readonly Hdf5Family[] = [
  isaacLab,
  robomimic,
  robomind,
  aloha,
  robotwin,
  minari,
  d4rl,
  maniskill,
  droid,
  agilex,
  robonet,
  robohive,
  ph2d,
  generic,
]

/** Files looked at before a tree with unreadable ones is given to the generic family, whose refusal says why. */
const maxLooks = 8
const found = new WeakMap<FileTree, Promise<Hdf5Family | undefined>>()

export const hdf5Layouts: readonly Layout[] = families.map((family) => createHdf5Layout(family, findTreeFamily))

export function recognizeFamily(source: Hdf5Source): Hdf5Family {
  return families.find((family) => family.recognize(source)) ?? generic
}

/** The family of the first file that can be read; undefined when the tree has no HDF5 file. */
function findTreeFamily(tree: FileTree): Promise<Hdf5Family | undefined> {
  const known = found.get(tree)
  if (known) return known
  const family = lookAtFiles(tree)
  found.set(tree, family)
  return family
}

async function lookAtFiles(tree: FileTree): Promise<Hdf5Family | undefined> {
  const paths = await listHdf5Files(tree)
  if (paths.length === 0) return undefined
  const files = openHdf5Files(tree, paths)
  try {
    for (const path of paths.slice(0, maxLooks)) {
      const source = await files.openSource(path).catch(forgiveFile)
      if (source && source.tree.nodes.length > 1) return recognizeFamily(source)
    }
    return generic
  } finally {
    holdHdf5Files(files)
  }
}

function forgiveFile(error: unknown): undefined {
  if (!(error instanceof FormatError)) throw error
}
