import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'

/** How one kind of job is shown to one person; undefined when they may not see it, or it is gone. */
export interface EventPresenter {
  jobKind: string
  event: 'import' | 'export' | 'check'
  present(context: Context, principal: Principal, jobId: string): Promise<object | undefined>
}
