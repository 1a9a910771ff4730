import { Type } from 'typebox'
import { orgMember } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { item } from '../http/schemas.ts'
import { cancelChecks, changeSettings, startChecks } from './runs.ts'
import { checkSummary, runBody, settingsBody } from './schemas.ts'
import { summarizeChecks } from './service.ts'
import { openEditedVersion } from './subject.ts'

const base = '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks'
const route = {
  tag: 'Project datasets',
  params: Type.Object({ org_slug: Type.String(), version_id: Type.String() }),
  credentials: ['datasets:write'],
  access: orgMember,
  response: item(checkSummary),
  errors: ['not_found', 'insufficient_role', 'conflict'],
} as const

export const versionCheckRoutes = [
  defineRoute({
    ...route,
    id: 'runVersionChecks',
    method: 'POST',
    path: base,
    summary: 'Check a derived version',
    description:
      'Works like `runChecks`: the rules look at the version itself, through its recipe, whether it is exported or not.',
    body: runBody,
    async handle(context, { caller, org, params, body }) {
      const seen = await openEditedVersion(context, caller, org, params.version_id)
      const { pictures = true, again = false } = body
      return { item: summarizeChecks(await startChecks(context, caller, seen, { pictures, again })) }
    },
  }),
  defineRoute({
    ...route,
    id: 'cancelVersionChecks',
    method: 'POST',
    path: `${base}/cancel`,
    summary: 'Cancel the checks of a derived version',
    description: 'Works like `cancelChecks`.',
    async handle(context, { caller, org, params }) {
      const seen = await openEditedVersion(context, caller, org, params.version_id)
      return { item: summarizeChecks(await cancelChecks(context, caller, seen)) }
    },
  }),
  defineRoute({
    ...route,
    id: 'putVersionCheckSettings',
    method: 'PUT',
    path: `${base}/settings`,
    summary: 'Set cut-offs of a derived version',
    description: 'Works like `putCheckSettings`.',
    body: settingsBody,
    async handle(context, { caller, org, params, body }) {
      const seen = await openEditedVersion(context, caller, org, params.version_id)
      const { cut_offs: cutOffs = {}, pictures = 'auto' } = body
      return { item: summarizeChecks(await changeSettings(context, caller, seen, { cutOffs, pictures })) }
    },
  }),
]
