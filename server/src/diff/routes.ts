import { orgMember } from '../access/access.ts'
import { defineRoute } from '../http/route.ts'
import { item, orgParams } from '../http/schemas.ts'
import { presentDiff } from './present.ts'
import { diffQuery, diffRecord } from './schemas.ts'
import { diffSides } from './service.ts'

export const diffRoutes = [
  defineRoute({
    id: 'getDiff',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/diff',
    tag: 'Project datasets',
    summary: 'Tell what differs between two datasets, revisions or versions',
    description:
      'Both may be anything you can read. Episodes are known by their content (rows, packets, tasks), never by their number: only what is equal in every feature is called the same. It is told from what is stored; a side whose episodes were never fingerprinted is read by a job first, and the answer says so (`state`).',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    query: diffQuery,
    response: item(diffRecord),
    errors: ['not_found', 'conflict'],
    async handle(context, { caller, query }) {
      const { from, to, again = false, ...page } = query
      return { item: presentDiff(context, await diffSides(context, caller, { from, to, again }), page) }
    },
  }),
]
