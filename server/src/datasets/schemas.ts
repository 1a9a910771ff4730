import { Type } from 'typebox'
import { nullable, oneOf } from '../http/schemas.ts'
import { shownFieldNames } from './shown-fields.ts'

/** Of the manifest and of a project's dataset alike. */
export const workFields = {
  work_name: nullable(
    Type.String({ description: 'The work that the tasks belong to: the environment, benchmark or family of tasks.' }),
  ),
  task_name: nullable(Type.String({ description: 'What is done, in words; by default the first task.' })),
  robot_type: nullable(Type.String()),
  embodiment: nullable(
    Type.String({ description: 'The embodiment, as the source calls it; by default the robot type.' }),
  ),
  robot_description_uri: nullable(
    Type.String({ description: "A URDF or similar description: an address, or a path in the source's files." }),
  ),
}
export const languages = Type.Array(Type.String(), { description: 'Language codes.' })
export const editedFields = Type.Array(oneOf(shownFieldNames), {
  description: 'Fields set by hand; all others follow the card and the files of the revision that is shown.',
})
