import { defaultIdle, type IdleRule } from '../data/recipe/frame-cuts.ts'
import { createStoreByKey } from '../session/store.ts'

interface StillTrial {
  isOpen: boolean
  /** Tried, while the draft has no rule of its own. */
  rule: IdleRule
}

/** The rule for still frames that is being tried in the player: it stays while one goes from episode to episode. */
export const trialOf = createStoreByKey((): StillTrial => ({ isOpen: false, rule: defaultIdle }))
