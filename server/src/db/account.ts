import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import type { Log } from '../log.ts'

/** How PostgreSQL is run, since it refuses to run as root. */
export interface Account {
  /** Words before the program's own. */
  prefix: string[]
  /** The user the process is spawned as; absent: ours. */
  uid?: number
  gid?: number
}

const nobody = 65534
const namespace = ['unshare', '-U', `--map-user=${nobody}`, `--map-group=${nobody}`]

/**
 * An ordinary user runs PostgreSQL plainly. Root runs it in a user namespace, where it is nobody and the files stay
 * root's; where namespaces are off (many containers), by dropping to uid 65534. A cluster that belongs to another
 * user is run as that user.
 */
export const chooseAccount = (folder: string, dataFolder: string, log: Log): Account => {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const owner = existsSync(dataFolder) ? statSync(dataFolder) : undefined
  if (owner && owner.uid !== 0) return { prefix: [], uid: owner.uid, gid: owner.gid }
  if (spawnSync(namespace[0] ?? '', [...namespace.slice(1), 'true']).status === 0) return { prefix: namespace }
  if (owner) {
    throw new Error(
      `PostgreSQL refuses to run as root, user namespaces are off here, and ${dataFolder} belongs to root. Run \`chown -R ${nobody}:${nobody} ${folder}\` or start the program as an ordinary user.`,
    )
  }
  return dropAccount(folder, log)
}

const dropAccount = (folder: string, log: Log): Account => {
  chownSync(folder, nobody, nobody)
  const probe = spawnSync('/bin/sh', ['-c', 'test -w "$1" && test -x "$1"', 'sh', folder], { uid: nobody, gid: nobody })
  if (probe.status !== 0) {
    throw new Error(
      `PostgreSQL refuses to run as root, user namespaces are off here, and uid ${nobody} cannot reach ${folder}. Start the program as an ordinary user, put NMP_DATA_DIR where every parent folder can be entered, or set NMP_DATABASE_URL.`,
    )
  }
  log.info({ uid: nobody }, 'user namespaces are off: PostgreSQL runs as another user')
  return { prefix: [], uid: nobody, gid: nobody }
}
