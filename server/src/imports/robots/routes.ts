import { Type } from 'typebox'
import { projectEditor } from '../../access/access.ts'
import { presentRobot, robot } from '../../curation/robots/record.ts'
import { defineRoute } from '../../http/route.ts'
import { item, projectParams } from '../../http/schemas.ts'
import { useNamedRobot } from './service.ts'

export const namedRobotRoutes = [
  defineRoute({
    id: 'useNamedRobot',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}/named',
    tag: 'Project datasets',
    summary: 'Use the robot model that a dataset names',
    description:
      'Fetches the URDF, or zip of one, at the `robot_description_uri` of a dataset or version within a minute, adds it to the project and chooses it. Addresses are checked as those of imports are. A model of the same content that the project has is chosen instead of a second one.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: Type.Object({ ...projectParams.properties, dataset_id: Type.String() }),
    response: item(robot),
    errors: [
      'conflict',
      'quota_exceeded',
      'source_not_allowed',
      'source_not_found',
      'source_forbidden',
      'source_invalid',
      'source_too_large',
      'source_unavailable',
    ],
    async handle(context, { caller, org, project, params, signal }) {
      return {
        item: presentRobot(await useNamedRobot(context, caller, { org, project }, params.dataset_id, signal)),
      }
    },
  }),
]
