import { createLimiter } from '@nmp/formats/limiter'
import { scoreMotion } from '@nmp/formats/statistics/motion'
import type { Context } from '../context.ts'
import { describeInsights, listScoreColumns } from '../datasets/read-model/build.ts'
import type { ReadModelPlace } from '../datasets/read-model/cache.ts'
import { ReadModel } from '../datasets/read-model/model.ts'
import { openDerivedDataset } from './derived-dataset.ts'

/** Each reads a signal of the whole source four times. */
const scoring = createLimiter(2)

/** The model with the scores that an import of its export would give: every frame of every episode is looked at. */
export const withScores = (context: Context, stored: ReadModelPlace, model: ReadModel): Promise<ReadModel> =>
  scoring.run(async () => {
    await using dataset = await openDerivedDataset(context, stored, model)
    const scores = await scoreMotion(dataset)
    const manifest = { ...model.manifest, insights: describeInsights(scores) }
    const columns = { ...model.columns, ...(scores && listScoreColumns(scores)) }
    const scoreBytes = scores ? scores.motion.byteLength * 6 + scores.curves.byteLength : 0
    return new ReadModel(manifest, columns, model.sizeBytes + scoreBytes, model.derivation)
  })
