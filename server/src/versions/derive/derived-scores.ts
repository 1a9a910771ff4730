import type { Dataset } from '@nmp/formats/dataset'
import { createLimiter } from '@nmp/formats/limiter'
import { scoreMotion } from '@nmp/formats/statistics/motion'
import { readSuccess } from '@nmp/formats/statistics/success'
import { describeInsights, listScoreColumns } from '../../datasets/read-model/build.ts'
import { ReadModel } from '../../datasets/read-model/model.ts'

/** Each reads a signal of the whole source four times. */
const scoring = createLimiter(2)

/** The model with the scores that an import of its export would give: every frame of every episode is looked at. */
export const withScores = (model: ReadModel, open: () => Promise<Dataset>): Promise<ReadModel> =>
  scoring.run(async () => {
    await using dataset = await open()
    const scores = await scoreMotion(dataset)
    const success = await readSuccess(dataset)
    const manifest = { ...model.manifest, insights: describeInsights(scores) }
    const columns = { ...model.columns, ...(success && { success }), ...(scores && listScoreColumns(scores)) }
    const scoreBytes = scores ? scores.motion.byteLength * 6 + scores.curves.byteLength : 0
    const sizeBytes = model.sizeBytes + scoreBytes + (success?.byteLength ?? 0)
    return new ReadModel(manifest, columns, sizeBytes, model.derivation, model.parts)
  })
