import type { ProjectGrant } from '../access/access.ts'
import { projectEditor } from '../access/access.ts'
import type { Context } from '../context.ts'
import { datasetPath, datasetRoute } from '../datasets/routes.ts'
import { getDatasetBySlug, toSeen } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item } from '../http/schemas.ts'
import { cancelChecks, changeSettings, startChecks } from './runs.ts'
import { checkSummary, runBody, settingsBody } from './schemas.ts'
import { summarizeChecks } from './service.ts'

const base = `${datasetPath}/checks`
const route = {
  ...datasetRoute,
  credentials: ['datasets:write'],
  access: projectEditor,
  response: item(checkSummary),
  errors: ['not_found', 'conflict'],
} as const

const open = async ({ db }: Context, project: ProjectGrant, slug: string) =>
  toSeen(await getDatasetBySlug(db, project.id, slug), project.role)

export const projectCheckRoutes = [
  defineRoute({
    ...route,
    id: 'runChecks',
    method: 'POST',
    path: base,
    summary: 'Check a dataset',
    description:
      'Queues a run over the revision that is shown, for what has no results of the present rules and cut-offs yet; with `again` for all of it. A run that is under way stays. Results of before are shown until it ends.',
    body: runBody,
    async handle(context, { caller, project, params, body }) {
      const seen = await open(context, project, params.dataset_slug)
      const { pictures = true, again = false } = body
      return { item: summarizeChecks(await startChecks(context, caller, seen, { pictures, again })) }
    },
  }),
  defineRoute({
    ...route,
    id: 'cancelChecks',
    method: 'POST',
    path: `${base}/cancel`,
    summary: 'Cancel the checks of a dataset',
    description: 'What was measured so far is kept: the next run goes on after it.',
    async handle(context, { caller, project, params }) {
      const seen = await open(context, project, params.dataset_slug)
      return { item: summarizeChecks(await cancelChecks(context, caller, seen)) }
    },
  }),
  defineRoute({
    ...route,
    id: 'putCheckSettings',
    method: 'PUT',
    path: `${base}/settings`,
    summary: 'Set cut-offs of a dataset, and whether pictures are looked at',
    description:
      'Counts and lists follow at once where a rule keeps what other cut-offs find; `needs_run` names the others. Later imports go by these settings.',
    body: settingsBody,
    async handle(context, { caller, project, params, body }) {
      const seen = await open(context, project, params.dataset_slug)
      const { cut_offs: cutOffs = {}, pictures = 'auto' } = body
      return { item: summarizeChecks(await changeSettings(context, caller, seen, { cutOffs, pictures })) }
    },
  }),
]
