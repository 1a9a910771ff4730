import { setTimeout as sleep } from 'node:timers/promises'
import type { DatasetSignals } from '@nmp/sdk/generated/records'
import type { Command } from '../command.ts'
import { CommandError, exitCodes, usageError } from '../failures.ts'
import type { Session } from '../session.ts'

const roleNames = ['state', 'action'] as const
const pollMs = 1000

interface Place {
  org_slug: string
  project_slug: string
  dataset_slug: string
}

/** Which columns of a dataset are state and action. */
export const roles: Command = {
  name: ['datasets', 'roles'],
  words: ['DATASET'],
  about:
    'Show or set which columns of a dataset are its state and its action, by slug. Insights, checks, charts and recipes go by them; the dataset is measured anew.',
  examples: [
    'nmp datasets roles pick-cans',
    'nmp datasets roles pick-cans --state observation.qpos --action actions',
    'nmp datasets roles pick-cans --reset state',
  ],
  options: {
    state: { type: 'string', value: 'COLUMN', about: 'the column that is the state' },
    action: { type: 'string', value: 'COLUMN', about: 'the column that is the action' },
    reset: { type: 'string', multiple: true, value: 'state|action', about: 'find it by name again' },
    'no-wait': { type: 'boolean', about: 'do not wait until the dataset is measured' },
  },
  async run(session, { words, text, texts, flag }) {
    const body: { state?: string | null; action?: string | null } = {}
    for (const role of roleNames) {
      const value = text(role)
      if (value !== undefined) body[role] = value
    }
    for (const name of texts('reset')) {
      const role = roleNames.find((known) => known === name)
      if (!role) throw usageError(`--reset takes state or action, not ${name}.`)
      body[role] = null
    }
    const client = await session.getClient()
    const place = { ...(await session.getPlace()), dataset_slug: words[0] ?? '' }
    const options = { signal: session.signal }
    if (Object.keys(body).length === 0)
      return show(session, (await client.datasets.getDatasetSignals(place, options)).item)
    const { item } = await client.datasets.changeDatasetSignals({ ...place, body }, options)
    show(session, flag('no-wait') ? item : await follow(session, place, item))
  },
}

/** Until it is measured, with its progress; a measuring that failed is a failure of the command. */
async function follow(session: Session, place: Place, first: DatasetSignals): Promise<DatasetSignals> {
  const client = await session.getClient()
  const progress = session.startProgress('Measuring', 'percent')
  let item = first
  try {
    while (item.run.status === 'queued' || item.run.status === 'running') {
      progress.update(item.run.pct, 100, item.run.message || item.run.status)
      await sleep(pollMs, undefined, { signal: session.signal })
      item = (await client.datasets.getDatasetSignals(place, { signal: session.signal })).item
    }
  } finally {
    progress.end()
  }
  if (item.run.status === 'failed' || item.run.status === 'canceled')
    throw new CommandError(
      `${item.run.message || 'The measuring was canceled.'} What is set stays; send it again to measure once more.`,
      exitCodes.jobFailed,
    )
  return item
}

function show(session: Session, item: DatasetSignals): void {
  const say = (role: 'state' | 'action'): string => {
    const [set, used] = [item[role], item.in_force[role]]
    const how = set === null ? 'by name' : set === used ? 'set' : `set: ${set}, which is not used yet`
    return `${used ?? 'none'} (${item.missing.includes(set ?? '') ? `set: ${set}, which this revision does not have` : how})`
  }
  session.output.show(item, item.in_force.state ?? '', [
    ['State', say('state')],
    ['Action', say('action')],
    ['Columns', item.choices.map(({ name, dimension }) => `${name} ${dimension}`)],
    ['Measuring', item.run.status === 'none' ? null : `${item.run.status} ${item.run.message}`.trim()],
  ])
}
