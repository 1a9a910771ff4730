import { ruleFacts, ruleSetVersion } from '@nmp/formats/checks'
import { presentFinding } from '@nmp/formats/checks/report'
import type { RuleFacts } from '@nmp/formats/checks/rule'
import { Type } from 'typebox'
import { anyone } from '../access/access.ts'
import { findReadable } from '../datasets/service.ts'
import { defineRoute } from '../http/route.ts'
import { item } from '../http/schemas.ts'
import { describeEpisode, listRankings } from './rankings.ts'
import {
  checkSummary,
  episodeChecks,
  findingsPage,
  findingsQuery,
  rankingsPage,
  rankingsQuery,
  rulesReply,
} from './schemas.ts'
import { listFindings, openChecks, summarizeChecks } from './service.ts'

const route = {
  method: 'GET',
  tag: 'Catalog',
  credentials: 'optional',
  access: anyone,
  params: Type.Object({ dataset_id: Type.String() }),
  errors: ['not_found', 'conflict'],
} as const

const base = '/api/v1/catalog/datasets/{dataset_id}/checks'
const about =
  'Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else.'

export const checkRoutes = [
  defineRoute({
    id: 'listCheckRules',
    method: 'GET',
    path: '/api/v1/checks/rules',
    tag: 'Catalog',
    summary: 'List the rules of the checks',
    description: 'What each measures, from where on something is found, and what to do about it.',
    credentials: 'optional',
    access: anyone,
    response: rulesReply,
    async handle() {
      return { rule_set_version: ruleSetVersion, rules: ruleFacts.map(presentRule) }
    },
  }),
  defineRoute({
    ...route,
    id: 'getChecks',
    path: base,
    summary: 'Get what the checks found, in numbers',
    description: `Of the revision that is shown, or of the version: where the checks stand, counts by rule, family and severity at the cut-offs in force, and which episodes to look at first. ${about}`,
    response: item(checkSummary),
    async handle(context, { caller, params }) {
      return {
        item: summarizeChecks(await openChecks(context, await findReadable(context, caller, params.dataset_id))),
      }
    },
  }),
  defineRoute({
    ...route,
    id: 'listCheckFindings',
    path: `${base}/findings`,
    summary: 'List what the checks found',
    description: `The most severe first, then by rule, episode and frame. With \`rule\` and \`cut_off\`: what that cut-off finds, at once, where the rule keeps it. A rule lists at most a thousand, and twenty of an episode. ${about}`,
    query: findingsQuery,
    response: item(findingsPage),
    async handle(context, { caller, params, query }) {
      const opened = await openChecks(context, await findReadable(context, caller, params.dataset_id))
      const { total, items } = listFindings(opened, query)
      return { item: { offset: query.offset, limit: query.limit, total, items: items.map(presentFinding) } }
    },
  }),
  defineRoute({
    ...route,
    id: 'listCheckRankings',
    path: `${base}/rankings`,
    summary: 'List what rules measure of every episode',
    description: `Rankings are no verdicts: a value, a rank and a percentile for each episode, of one rule or of all of them, one after the other. Some rules that flag rank too. ${about}`,
    query: rankingsQuery,
    response: item(rankingsPage),
    async handle(context, { caller, params, query }) {
      const opened = await openChecks(context, await findReadable(context, caller, params.dataset_id))
      return { item: listRankings(opened, query) }
    },
  }),
  defineRoute({
    ...route,
    id: 'getEpisodeChecks',
    path: `${base}/episodes/{episode_index}`,
    params: Type.Object({ dataset_id: Type.String(), episode_index: Type.Integer({ minimum: 0, 'x-place': true }) }),
    summary: 'Get what the checks found in one episode, and its rankings',
    description: `Its findings at the cut-offs in force, its value, rank and percentile by every rule that ranks, and its place among the episodes to look at first. ${about}`,
    response: item(episodeChecks),
    async handle(context, { caller, params }) {
      const opened = await openChecks(context, await findReadable(context, caller, params.dataset_id))
      return { item: describeEpisode(opened, params.episode_index) }
    },
  }),
]

const presentRule = ({ id, family, kind, severity, unit, cutOff, found, loosest, ...rule }: RuleFacts) => ({
  id,
  family,
  kind,
  severity,
  unit,
  cut_off: cutOff,
  direction: found === null ? null : found === 'above' || found === 'from' ? ('above' as const) : ('below' as const),
  inclusive: found === 'from' || found === 'up-to',
  loosest,
  of_set: rule.isOfSet === true,
  sentence: rule.sentence,
  remedy: rule.remedy,
})
