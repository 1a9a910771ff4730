import type { Dataset } from '../../dataset.ts'
import type { JsonObject } from '../../json.ts'
import { describeDataset, describeDict, describeScalar, describeText, type StepPlan } from './step-features.ts'

/** Of the dataset's layout; its folder has this name. */
export const version = '1.0.0'

/** features.json: a dataset of steps, and what is known of the episode. */
export function describeSteps({ columns, cameras }: StepPlan): JsonObject {
  const steps: Record<string, JsonObject> = {
    discount: describeScalar('float32'),
    is_first: describeScalar('bool'),
    is_last: describeScalar('bool'),
    is_terminal: describeScalar('bool'),
    language_instruction: describeText(),
    reward: describeScalar('float32'),
  }
  const observation: Record<string, JsonObject> = {}
  for (const { key, described } of [...columns, ...cameras]) {
    const [, group = '', inside] = key.split('/')
    if (inside === undefined) steps[group] = described
    else observation[inside] = described
  }
  return describeDict({
    episode_metadata: describeDict({ episode_index: describeScalar('int64'), file_path: describeText() }),
    steps: describeDataset(describeDict({ ...steps, observation: describeDict(observation) })),
  })
}

/** dataset_info.json, without which nothing is read. */
export const describeInfo = (name: string, { fps, robotType }: Dataset, splits: readonly JsonObject[]): JsonObject => ({
  name,
  version,
  description: `Written by nmp: ${fps} frames per second${robotType ? `, ${robotType}` : ''}.`,
  fileFormat: 'tfrecord',
  moduleName: 'nmp',
  splits: [...splits],
})
