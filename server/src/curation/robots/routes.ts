import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { projectEditor, projectViewer } from '../../access/access.ts'
import { defineRoute, Reply } from '../../http/route.ts'
import { item, items, nullable, oneOf, projectParams, timestamp } from '../../http/schemas.ts'
import { attachmentDisposition } from '../../storage/serving/disposition.ts'
import { jointUnits } from '../tables.ts'
import { presentRobot, robot } from './record.ts'
import { type Choice, createRobot, deleteRobot, findChoice, listRobots, openRobotFile, putChoice } from './service.ts'

const projectPath = '/api/v1/orgs/{org_slug}/projects/{project_slug}'
const robotParams = Type.Object({ ...projectParams.properties, robot_id: Type.String() })
const datasetParams = Type.Object({ ...projectParams.properties, dataset_id: Type.String() })
const tag = 'Project datasets'

const joints = Type.Array(
  Type.Object(
    {
      joint: Type.String({ minLength: 1, maxLength: 200, description: 'As the URDF names it.' }),
      dimension: Type.Integer({ minimum: 0, maximum: 9_999, description: 'Which number of the state turns it.' }),
      unit: oneOf(jointUnits, { description: 'Of that number.' }),
    },
    { additionalProperties: false },
  ),
  { maxItems: 256 },
)

const choice = Type.Object(
  { robot_id: Type.String(), joints, updated_at: timestamp },
  {
    $id: 'DatasetRobot',
    description: 'Joints that are not named stand still; where none is, they are found by their names.',
  },
)

const presentChoice = (row: Choice | undefined) =>
  row ? { robot_id: row.robotId, joints: row.joints, updated_at: row.updatedAt.toISOString() } : null

export const robotRoutes = [
  defineRoute({
    id: 'listRobots',
    method: 'GET',
    path: `${projectPath}/robots`,
    tag,
    summary: 'List the robot models of a project',
    description: 'URDF files, alone or in a zip with their meshes, by name.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: projectParams,
    response: items(robot),
    async handle({ db }, { project }) {
      return { items: (await listRobots(db, project)).map(presentRobot) }
    },
  }),
  defineRoute({
    id: 'createRobot',
    method: 'POST',
    path: `${projectPath}/robots`,
    tag,
    summary: 'Add a robot model',
    description:
      'Of a finished upload: a URDF, or a zip of one with its mesh files, 64 MB at most. It is stored as it is; only browsers that draw it read it.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: projectParams,
    body: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 100 }),
        upload_id: Type.String({ minLength: 1, maxLength: 100 }),
      },
      { additionalProperties: false },
    ),
    response: item(robot),
    status: 201,
    errors: ['conflict', 'quota_exceeded'],
    async handle(context, { caller, org, project, body }) {
      const given = { name: body.name, uploadId: body.upload_id }
      return { item: presentRobot(await createRobot(context, caller, { org, project }, given)) }
    },
  }),
  defineRoute({
    id: 'getRobotFile',
    method: 'GET',
    path: `${projectPath}/robots/{robot_id}/file`,
    tag,
    summary: 'The file of a robot model',
    description: 'As it was uploaded, always as a download: nothing in it is run or shown by the server.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: robotParams,
    response: 'bytes',
    async handle(context, { org, project, params, isHead, signal }) {
      const { robot: found, body } = await openRobotFile(context, { org, project }, params.robot_id, signal)
      if (isHead) body.destroy()
      return new Reply(isHead ? Readable.from([]) : body, {
        headers: {
          'content-type': 'application/octet-stream',
          'content-length': String(found.sizeBytes),
          'content-disposition': attachmentDisposition(found.fileName),
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, max-age=3600',
        },
      })
    },
  }),
  defineRoute({
    id: 'deleteRobot',
    method: 'DELETE',
    path: `${projectPath}/robots/{robot_id}`,
    tag,
    summary: 'Delete a robot model',
    description: 'Datasets that had it are drawn without one. Returns the model as it was.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: robotParams,
    response: item(robot),
    async handle({ db }, { caller, org, project, params }) {
      return { item: presentRobot(await deleteRobot(db, caller, { org, project }, params.robot_id)) }
    },
  }),
  defineRoute({
    id: 'getDatasetRobot',
    method: 'GET',
    path: `${projectPath}/robot-choices/{dataset_id}`,
    tag,
    summary: 'The robot model of a dataset or version',
    description:
      '`item` is null where nobody chose one: the model whose name is the `robot_type` counts then, and joints are found by their names.',
    credentials: ['workspace:read'],
    access: projectViewer,
    params: datasetParams,
    response: item(nullable(choice)),
    async handle(context, { caller, project, params }) {
      return { item: presentChoice(await findChoice(context, caller, project, params.dataset_id)) }
    },
  }),
  defineRoute({
    id: 'putDatasetRobot',
    method: 'PUT',
    path: `${projectPath}/robot-choices/{dataset_id}`,
    tag,
    summary: 'Choose the robot model of a dataset or version',
    description:
      'With which number of the state turns which joint, and in which unit that number is. A `robot_id` of null takes the choice back.',
    credentials: ['datasets:write'],
    access: projectEditor,
    params: datasetParams,
    body: Type.Object({ robot_id: nullable(Type.String()), joints }, { additionalProperties: false }),
    response: item(nullable(choice)),
    async handle(context, { caller, org, project, params, body }) {
      const given = { robotId: body.robot_id, joints: body.joints }
      return { item: presentChoice(await putChoice(context, caller, { org, project }, params.dataset_id, given)) }
    },
  }),
]
