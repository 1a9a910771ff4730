import type { CheckSummary } from '@nmp/sdk/generated/records'
import { JobError } from '@nmp/sdk/waiting'
import { findDatasetId } from './dataset-name.ts'
import { CommandError, exitCodes } from './failures.ts'
import type { Session } from './session.ts'
import { findVersion, isVersionId } from './version-name.ts'

/** A dataset or a version of the service. */
export interface Checked {
  dataset_id: string
  name: string
}

/** By id, or by a slug of the project: of a dataset, else of a version. */
export async function findChecked(session: Session, name: string): Promise<Checked> {
  if (isVersionId(name)) return { dataset_id: name, name }
  try {
    return { dataset_id: await findDatasetId(session, name), name }
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== exitCodes.notFound) throw error
    try {
      return { dataset_id: (await findVersion(session, name)).id, name }
    } catch (second) {
      if (!(second instanceof CommandError) || second.exitCode !== exitCodes.notFound) throw second
      const { org_slug, project_slug } = await session.getPlace()
      throw new CommandError(
        `There is no ${name} on this machine, and neither a dataset nor a version of that name in ${org_slug}/${project_slug}.`,
        exitCodes.notFound,
      )
    }
  }
}

/** Waits for what is under way, with its progress, or first starts what has no results yet; refuses what was never looked at, and what failed. */
export async function followChecks(
  session: Session,
  { dataset_id, name }: Checked,
  { pictures, starts }: { pictures: boolean; starts: boolean },
): Promise<CheckSummary> {
  const { checks } = await session.getClient()
  const progress = session.startProgress('Checking', 'percent')
  const onProgress = (summary: CheckSummary): void => {
    const open = [summary.signals, ...(pictures ? [summary.pictures] : [])].find(({ status }) =>
      ['queued', 'running'].includes(status),
    )
    if (open) progress.update(open.done, open.total, open.message || open.status)
  }
  try {
    const wait = starts ? checks.runAndWait : checks.wait
    const summary = await wait({ dataset_id, pictures }, { signal: session.signal, onProgress })
    return requireResults(session, summary, name, pictures)
  } catch (error) {
    if (!(error instanceof JobError)) throw error
    throw new CommandError(`${error.message} nmp check ${name} --run tries again.`, exitCodes.jobFailed)
  } finally {
    progress.end()
  }
}

function requireResults(session: Session, item: CheckSummary, name: string, pictures: boolean): CheckSummary {
  const { signals, pictures: looked } = item
  if (signals.status === 'none')
    throw new CommandError(`${name} has not been checked yet. nmp check ${name} --run does it, and waits for it.`)
  if (pictures && (looked.status === 'none' || looked.status === 'skipped'))
    session.output.note(`Pictures were not looked at. ${looked.message || `nmp check ${name} --run does it.`}`)
  if (signals.rule_set_version !== null && signals.rule_set_version < item.rule_set_version)
    session.output.note('The results are of older rules; --run checks again.')
  return item
}
