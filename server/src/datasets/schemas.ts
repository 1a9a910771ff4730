import { Type } from 'typebox'
import { nullable, oneOf } from '../http/schemas.ts'
import { shownFieldNames } from './shown-fields.ts'

/** Of the manifest and of a project's dataset alike. */
export const workFields = {
  work_name: nullable(
    Type.String({ description: 'The work that the tasks belong to: the environment, benchmark or family of tasks.' }),
  ),
  task_name: nullable(Type.String({ description: 'What is done, in words; the first task unless it was set.' })),
  robot_type: nullable(Type.String()),
  embodiment: nullable(
    Type.String({ description: 'The body that acts, as the source calls it; the robot type where it says no more.' }),
  ),
  robot_description_uri: nullable(
    Type.String({ description: "URDF or the like: an address, or a path inside the source's files." }),
  ),
}
export const languages = Type.Array(Type.String(), { description: 'Codes of the languages that it holds.' })
export const editedFields = Type.Array(oneOf(shownFieldNames), {
  description: 'What a person set; all other fields follow the card and the files of the revision that is shown.',
})
