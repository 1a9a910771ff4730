import { resolveRoles, toRoles } from '@nmp/formats/signal-roles'
import { Type } from 'typebox'
import { projectEditor } from '../access/access.ts'
import { datasetPath, datasetReaders, datasetRoute } from '../datasets/routes.ts'
import { getDatasetBySlug } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item, nullable, oneOf } from '../http/schemas.ts'
import { changeSignals, listChoices, type OpenedSignals, openSignals } from './service.ts'

const chosen = nullable(Type.String({ minLength: 1, maxLength: 1000 }))
const found = nullable(Type.String())

const datasetSignals = Type.Object(
  {
    state: nullable(Type.String({ description: 'The column that is set as the state; null: `observation.state`.' })),
    action: nullable(Type.String({ description: 'The column that is set as the action; null: `action`.' })),
    in_force: Type.Object(
      { state: found, action: found },
      { description: 'The columns that the shown revision was measured by; null where it has none.' },
    ),
    missing: Type.Array(Type.String(), {
      description: 'What is set and not a column of the shown revision: it is found by name there.',
    }),
    choices: Type.Array(
      Type.Object({ name: Type.String(), dtype: Type.String(), dimension: Type.Integer({ minimum: 1 }) }),
      { description: 'Columns of the shown revision that can be set.' },
    ),
    run: Type.Object(
      {
        status: oneOf(['none', 'queued', 'running', 'succeeded', 'failed', 'canceled']),
        pct: Type.Number({ minimum: 0, maximum: 100 }),
        message: Type.String(),
        job_id: nullable(Type.String()),
      },
      { description: 'The measuring by what is set; until it has succeeded, numbers are those of `in_force`.' },
    ),
  },
  { $id: 'DatasetSignals' },
)

function present({ manifest, setting }: OpenedSignals) {
  const [state, action] = [setting?.state ?? null, setting?.action ?? null]
  const { missing } = resolveRoles(toRoles(state, action), manifest.features)
  return {
    state,
    action,
    in_force: { state: manifest.state?.key ?? null, action: manifest.action?.key ?? null },
    missing,
    choices: listChoices(manifest).map(({ name, dtype, shape }) => ({ name, dtype, dimension: shape[0] ?? 1 })),
    run: {
      status: setting?.jobState ?? ('none' as const),
      pct: setting?.jobState === 'succeeded' ? 100 : (setting?.progressPct ?? 0),
      message: setting?.errorMessage ?? setting?.progressMessage ?? '',
      job_id: setting?.jobId ?? null,
    },
  }
}

const path = `${datasetPath}/signals`

export const signalRoutes = [
  defineRoute({
    ...datasetRoute,
    ...datasetReaders,
    id: 'getDatasetSignals',
    method: 'GET',
    path,
    summary: 'Get which columns of a dataset are state and action',
    description: 'What is set, what the shown revision was measured by, and what could be set.',
    response: item(datasetSignals),
    async handle(context, { project, params }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      return { item: present(await openSignals(context, dataset)) }
    },
  }),
  defineRoute({
    ...datasetRoute,
    id: 'changeDatasetSignals',
    method: 'PATCH',
    path,
    summary: 'Set which columns of a dataset are state and action',
    description:
      'For datasets that call them otherwise. Insights, checks, charts and the action steps of recipes go by them. The dataset is measured anew by a job and gets a revision with the same files; until then the numbers of before are shown. Null is found by name again; what is left out stays. Later imports keep to it where they have the columns; versions made before stay as they are.',
    credentials: ['datasets:write'],
    access: projectEditor,
    body: Type.Object({ state: Type.Optional(chosen), action: Type.Optional(chosen) }),
    response: item(datasetSignals),
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, project, params, body }) {
      const dataset = await getDatasetBySlug(context.db, project.id, params.dataset_slug)
      return { item: present(await changeSignals(context, caller, dataset, body)) }
    },
  }),
]
