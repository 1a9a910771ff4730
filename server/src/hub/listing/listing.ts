import type { Principal } from '../../access/principal.ts'
import type { Database } from '../../db/database.ts'
import { mayRead } from '../repositories/repositories.ts'
import { type ListedRepository, type ListFilter, listReadable, listReadableModels } from './repository.ts'

/** A token without the scope for reading lists what everybody may see. */
export const listRepositories = (
  db: Database,
  principal: Principal | undefined,
  kind: 'datasets' | 'models',
  filter: Omit<ListFilter, 'userId' | 'hasSecondProof'>,
): Promise<ListedRepository[]> =>
  (kind === 'models' ? listReadableModels : listReadable)(db, {
    ...filter,
    userId: principal && mayRead(principal) ? principal.userId : undefined,
    hasSecondProof: principal?.hasSecondProof ?? false,
  })
