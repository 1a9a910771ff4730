import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { exportPresenter, shardPresenter } from './export-presenter.ts'
import { importPresenter } from './import-presenter.ts'

/** How one kind of job is shown to one person; undefined when they may not see it, or it is gone. */
export interface EventPresenter {
  jobKind: string
  event: 'import' | 'export'
  present(context: Context, principal: Principal, jobId: string): Promise<object | undefined>
}

/** REGISTRY: every kind of job whose changes are told. Migration 0014 announces the same kinds. */
export const presenters: readonly EventPresenter[] = [importPresenter, exportPresenter, shardPresenter]
