import type { Dataset } from '@nmp/formats/dataset'
import { nameAction, nameState } from '@nmp/formats/signal-roles'
import type { MotionScale } from '@nmp/formats/statistics/idle'
import { type MotionWatcher, scoreMotion } from '@nmp/formats/statistics/motion'
import { type BuiltReadModel, describeInsights, listScoreColumns, writeReadModel } from './build.ts'
import { describeSignal } from './features.ts'
import type { ReadModel } from './model.ts'

interface MeasureAgain {
  model: ReadModel
  /** The same files, with the roles it is measured by. */
  dataset: Dataset
  targetFolder: string
  signal: AbortSignal
  watcher: MotionWatcher
}

/** A read model with the state, the action and the scores that follow from other roles; everything else is as it was. */
export async function measureAgain({
  model,
  dataset,
  targetFolder,
  signal,
  watcher,
}: MeasureAgain): Promise<{ files: BuiltReadModel['files']; motionScale: MotionScale | undefined }> {
  const { roles, features } = dataset
  const scores = await scoreMotion(dataset, signal, watcher)
  const { roles: _, ...before } = model.manifest
  const {
    motion: _motion,
    variance: _variance,
    stillSeconds: _still,
    longestStillSeconds: _longest,
    pace: _pace,
    shake: _shake,
    motionCurve: _curve,
    ...columns
  } = model.columns
  const files = await writeReadModel(
    targetFolder,
    {
      ...before,
      ...(roles && { roles }),
      state: describeSignal(features, nameState({ roles })),
      action: describeSignal(features, nameAction({ roles })),
      insights: describeInsights(scores),
    },
    { ...columns, ...(scores && listScoreColumns(scores)) },
  )
  return { files, motionScale: scores?.scale }
}
