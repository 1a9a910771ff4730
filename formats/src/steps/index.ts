import * as action from './action.ts'
import * as annotate from './annotate.ts'
import * as cropResize from './crop-resize.ts'
import * as cut from './cut.ts'
import * as features from './features.ts'
import * as rate from './rate.ts'
import * as selectCameras from './select-cameras.ts'
import * as selectEpisodes from './select-episodes.ts'
import * as shift from './shift.ts'

/** Every step of a recipe, in the order they are applied. */
export const steps = [
  { name: 'select-episodes', apply: selectEpisodes.apply },
  { name: 'cut', apply: cut.apply },
  { name: 'rate', apply: rate.apply },
  { name: 'shift', apply: shift.apply },
  { name: 'select-cameras', apply: selectCameras.apply },
  { name: 'crop-resize', apply: cropResize.apply },
  { name: 'action', apply: action.apply },
  { name: 'features', apply: features.apply },
  { name: 'annotate', apply: annotate.apply },
] as const
