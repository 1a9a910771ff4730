import { connections } from './connections.ts'
import { forgedCredentials } from './forged.ts'
import { hdf5Files } from './hdf5-files.ts'
import { httpExchanges } from './http-exchanges.ts'
import { lerobotSets } from './lerobot-sets.ts'
import { nextAddresses } from './next-addresses.ts'
import { oauthAttacks } from './oauth-attacks.ts'
import { principals } from './principals.ts'
import { scriptPages } from './script-pages.ts'
import { sourceAddresses } from './source-addresses.ts'
import type { Family } from './verdict.ts'

/** In the order in which they are run and listed. */
export const families: readonly Family[] = [
  lerobotSets,
  hdf5Files,
  principals,
  forgedCredentials,
  oauthAttacks,
  nextAddresses,
  sourceAddresses,
  scriptPages,
  httpExchanges,
  connections,
]
