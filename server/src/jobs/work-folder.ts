import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '@nmp/formats/remove-folder'
import type { Context } from '../context.ts'
import type { Claim } from './job.ts'
import { sweepParserFolders } from './parser-folders.ts'
import { listActiveJobs } from './statements/list-active-jobs.ts'

const rootOf = ({ config }: Context): string => join(config.NMP_DATA_DIR, 'work')

export const locateWorkFolder = (context: Context, { id, epoch }: Claim): string =>
  join(rootOf(context), id, String(epoch))

/** A folder of one attempt's own. What earlier attempts of the same job left is removed: at most one of them may still write. */
export async function openWorkFolder(context: Context, { id, epoch }: Claim): Promise<string> {
  const jobFolder = join(rootOf(context), id)
  for (const name of await readdir(jobFolder).catch(() => []))
    if (Number(name) < epoch) await removeFolder(join(jobFolder, name))
  const folder = locateWorkFolder(context, { id, epoch })
  await removeFolder(folder)
  await mkdir(folder, { recursive: true })
  return folder
}

export async function removeWorkFolder(context: Context, { id, epoch }: Claim): Promise<void> {
  const jobFolder = join(rootOf(context), id)
  await removeFolder(join(jobFolder, String(epoch)))
  // Another attempt of the job may have a folder of its own here.
  if ((await readdir(jobFolder).catch(() => ['?'])).length === 0) await removeFolder(jobFolder)
}

/** What processes that died left behind: folders of imports, exports, checks, fingerprints and measurements that nobody runs any more. */
export async function sweepWorkFolders(context: Context): Promise<number> {
  const root = rootOf(context)
  const names = (await readdir(root).catch(() => [])).filter((name) => /^(imp|exp|chk|fpr|sig)_/.test(name))
  const active = await listActiveJobs(context.db, names)
  const dead = names.filter((name) => !active.has(name))
  for (const name of dead) await removeFolder(join(root, name))
  return dead.length + (await sweepParserFolders(root))
}
