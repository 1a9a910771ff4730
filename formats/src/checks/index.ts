import { beyondRules } from './beyond.ts'
import { idleLongest } from './motion/idle-longest.ts'
import { idleShare } from './motion/idle-share.ts'
import { pathLength } from './motion/path-length.ts'
import { shakiness } from './motion/shakiness.ts'
import { smoothnessLdlj } from './motion/smoothness-ldlj.ts'
import { smoothnessSparc } from './motion/smoothness-sparc.ts'
import { stillEnd } from './motion/still-end.ts'
import { stillStart } from './motion/still-start.ts'
import { blackFrames } from './pictures/black-frames.ts'
import { blurred } from './pictures/blurred.ts'
import { frozenCamera } from './pictures/frozen-camera.ts'
import { latePictures } from './pictures/late-pictures.ts'
import { movedCamera } from './pictures/moved-camera.ts'
import { overExposed } from './pictures/over-exposed.ts'
import { repeatedFrames } from './pictures/repeated-frames.ts'
import { swappedCameras } from './pictures/swapped-cameras.ts'
import type { Rule, RuleFacts } from './rule.ts'
import { duplicate } from './sets/duplicate.ts'
import { length } from './sets/length.ts'
import { lengthFar } from './sets/length-far.ts'
import { nearDuplicate } from './sets/near-duplicate.ts'
import { taskBalance } from './sets/task-balance.ts'
import { taskMissing } from './sets/task-missing.ts'
import { taskSingle } from './sets/task-single.ts'
import { taskSpelling } from './sets/task-spelling.ts'
import { commandError } from './signals/command-error.ts'
import { constantDimension } from './signals/constant-dimension.ts'
import { deadDimension } from './signals/dead-dimension.ts'
import { gripperChatter } from './signals/gripper-chatter.ts'
import { jump } from './signals/jump.ts'
import { lag } from './signals/lag.ts'
import { nonFinite } from './signals/non-finite.ts'
import { rateDiffers } from './signals/rate-differs.ts'
import { saturation } from './signals/saturation.ts'
import { timeGap } from './signals/time-gap.ts'
import { timeOrder } from './signals/time-order.ts'

/** Raised when a rule is added or measures something else: stored results are of one set of rules. */
export const ruleSetVersion = 5

/** Every rule, family by family. */
export const checkRules: readonly Rule[] = [
  nonFinite,
  timeGap,
  timeOrder,
  rateDiffers,
  jump,
  saturation,
  constantDimension,
  deadDimension,
  gripperChatter,
  lag,
  commandError,
  idleShare,
  idleLongest,
  stillStart,
  stillEnd,
  shakiness,
  smoothnessSparc,
  smoothnessLdlj,
  pathLength,
  frozenCamera,
  repeatedFrames,
  blackFrames,
  overExposed,
  blurred,
  movedCamera,
  swappedCameras,
  latePictures,
  duplicate,
  nearDuplicate,
  length,
  lengthFar,
  taskSingle,
  taskMissing,
  taskSpelling,
  taskBalance,
]

/** Those too that only a service can follow, last. */
export const ruleFacts: readonly RuleFacts[] = [...checkRules, ...beyondRules]
