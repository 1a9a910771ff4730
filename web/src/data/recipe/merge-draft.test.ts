import { expect, test } from 'vitest'
import {
  changeOther,
  emptyMerge,
  getWeighing,
  leaveOutOwnCamera,
  type MergeDraft,
  type OtherSource,
  readMerge,
  readVersion,
  removeOther,
  setRobotType,
  weighBy,
  writeMerge,
  writeSources,
} from './merge-draft.ts'
import { emptyRecipe } from './recipe-draft.ts'

const other: OtherSource = {
  ...{ dataset_kind: 'catalog', dataset_id: 'ds_2', title: 'Lab B', recipe: null },
  ...{ map: { cameras: { above: 'top' } }, weight: null, sample: null, isUnitConfirmed: false },
}
const merge: MergeDraft = { ...emptyMerge, others: [other] }
const source = { dataset_kind: 'project', dataset_id: 'ds_1' } as const

test('the request has what was said of each source, and nothing else', () => {
  expect(writeMerge(source, emptyRecipe, merge)).toEqual({
    sources: [
      { ...source, recipe: emptyRecipe },
      { dataset_kind: 'catalog', dataset_id: 'ds_2', map: { cameras: { above: 'top' } } },
    ],
  })
  const drawn = changeOther(merge, 0, { sample: 5, isUnitConfirmed: true, recipe: emptyRecipe })
  expect(writeMerge(source, emptyRecipe, { ...drawn, seed: 7 })).toMatchObject({
    sources: [{ dataset_id: 'ds_1' }, { sample: 5, confirm: ['units'], recipe: emptyRecipe }],
    seed: 7,
  })
  expect(writeSources(source, emptyRecipe, null)).toEqual({ source, recipe: emptyRecipe })
})

test('weights are by source or by task, and then all have one', () => {
  const bySource = weighBy(merge, 'source', ['push'])
  expect([getWeighing(merge), getWeighing(bySource), bySource.own.weight, bySource.others[0]?.weight]).toEqual([
    ...['none', 'source'],
    ...[1, 1],
  ])
  const byTask = weighBy(bySource, 'task', ['push', 'pull'])
  expect([getWeighing(byTask), byTask.own.weight, byTask.taskWeights]).toEqual(['task', null, { push: 1, pull: 1 }])
})

test('the last one that goes leaves a draft of one source; what was stored in another form is none', () => {
  expect(removeOther(merge, 0)).toBeNull()
  expect(readMerge(JSON.parse(JSON.stringify(merge)))).toEqual(merge)
  for (const stored of [undefined, null, 'merge', { others: [] }, { others: 3 }]) expect(readMerge(stored)).toBeNull()
})

test('a robot is told to every source; a camera of ours is left out and taken back', () => {
  expect(setRobotType(merge, 'panda').own.map).toEqual({ robot_type: 'panda' })
  expect(setRobotType(merge, 'panda').others[0]?.map).toEqual({ cameras: { above: 'top' }, robot_type: 'panda' })
  const without = leaveOutOwnCamera(merge, 'wrist', true)
  expect(without.own.map).toEqual({ cameras: { wrist: null } })
  expect(leaveOutOwnCamera(without, 'wrist', false).own.map).toEqual({})
})

test('a version that is changed goes on with the revisions that it was made of, and with what was drawn of a task', () => {
  const made = { ...other, title: 'Lab B', confirm: [], source_index: 1, revision_id: 'rev_7', revision_number: 7 }
  const own = { ...made, dataset_id: 'ds_1', source_index: 0, recipe: emptyRecipe, map: {} }
  const whole = { ...made, dataset_id: 'ver_3', dataset_kind: 'version', source_index: 2 }
  const version = { recipe: emptyRecipe, sources: [own, made, whole], seed: 4, task_samples: { push: 2 } }
  const draft = readVersion(version as unknown as Parameters<typeof readVersion>[0]).merge as MergeDraft
  const asked = writeMerge(source, emptyRecipe, draft)
  expect(asked.sources?.map((one) => one.revision_id)).toEqual([undefined, 'rev_7', undefined])
  expect([asked.seed, asked.task_samples]).toEqual([4, { push: 2 }])
  const newest = changeOther(draft, 0, { pinned: undefined })
  expect(writeMerge(source, emptyRecipe, newest).sources?.[1]?.revision_id).toBeUndefined()
})
