import type { Robot, DatasetRobot as RobotChoice } from '@nmp/sdk/generated/records'
import { uploadFile } from '@nmp/sdk/upload'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'
import type { Manifest } from './dataset.ts'

export type { Robot, RobotChoice }
export type RobotJoint = RobotChoice['joints'][number]

type Place = Pick<Manifest, 'id' | 'org_slug' | 'project_slug' | 'role'>
const placeOf = ({ org_slug, project_slug }: Place) => ({ org_slug, project_slug })

/** Models are the project's: who has no role in it sees none. */
export const robotsQuery = (dataset: Place) =>
  queryOptions({
    queryKey: ['robots', dataset.org_slug, dataset.project_slug],
    queryFn: async ({ signal }) => (await client.curation.listRobots(placeOf(dataset), { signal })).items,
    enabled: dataset.role !== null,
  })

export const robotChoiceQuery = (dataset: Place) =>
  queryOptions({
    queryKey: ['robot-choice', dataset.id],
    queryFn: async ({ signal }) =>
      (await client.curation.getDatasetRobot({ ...placeOf(dataset), dataset_id: dataset.id }, { signal })).item,
    enabled: dataset.role !== null,
  })

/** What is called by one id never changes. */
export const robotFileQuery = (dataset: Place, robot: Robot | undefined) =>
  queryOptions({
    queryKey: ['robot-file', robot?.id],
    queryFn: async ({ signal }) => {
      const answer = await client.curation.getRobotFile({ ...placeOf(dataset), robot_id: robot?.id ?? '' }, { signal })
      return new Uint8Array(await answer.arrayBuffer())
    },
    enabled: robot !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const putRobotChoice = async (dataset: Place, body: { robot_id: string | null; joints: RobotJoint[] }) =>
  (await client.curation.putDatasetRobot({ ...placeOf(dataset), dataset_id: dataset.id, body })).item

export async function addRobot(dataset: Place, name: string, file: File): Promise<Robot> {
  const { org_slug: orgSlug, project_slug: projectSlug } = dataset
  const { id } = await uploadFile(client.transport, file, { filename: file.name, orgSlug, projectSlug })
  return (await client.curation.createRobot({ ...placeOf(dataset), body: { name, upload_id: id } })).item
}

/** What a dataset names may also be a path of its makers' machines. */
export const isWebAddress = (uri: string | null): boolean => /^https?:\/\//i.test(uri ?? '')

/** The server fetches what the dataset names. */
export const fetchNamedRobot = async (dataset: Place): Promise<Robot> =>
  (await client.curation.useNamedRobot({ ...placeOf(dataset), dataset_id: dataset.id })).item

export const deleteRobot = (dataset: Place, robot: Robot) =>
  client.curation.deleteRobot({ ...placeOf(dataset), robot_id: robot.id })

/** The one that was chosen, else the one that is called as the robot is. */
export const findRobot = (
  robots: readonly Robot[] | undefined,
  choice: RobotChoice | null | undefined,
  robotType: string | null,
): Robot | undefined =>
  robots?.find(({ id }) => id === choice?.robot_id) ??
  (choice ? undefined : robots?.find(({ name }) => name.toLowerCase() === (robotType ?? '').toLowerCase()))
