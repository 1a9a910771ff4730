import type { VideoShape } from '../../dataset.ts'
import type { CameraFeature, DepthScale } from '../../feature.ts'
import type { JsonObject } from '../../json.ts'
import { listCarried } from './info.ts'

/** LeRobot's probe keys, and the encoder and depth keys that the source told. */
export function describeVideo(camera: CameraFeature, facts: VideoShape, fps: number): JsonObject {
  return {
    'video.height': facts.height,
    'video.width': facts.width,
    'video.codec': facts.codec,
    'video.pix_fmt': facts.pixelFormat ?? (camera.depth ? 'gray12le' : 'yuv420p'),
    'video.fps': fps,
    'video.channels': camera.depth ? 1 : 3,
    has_audio: false,
    ...describeDepth(camera.depth),
    ...listCarried(camera),
    is_depth_map: camera.depth !== undefined,
  }
}

/** A depth video cannot be read without these. */
function describeDepth(depth: DepthScale | undefined): JsonObject {
  if (!depth) return {}
  const { minMeters, maxMeters, shift, logarithmic, unit } = depth
  return {
    'video.depth_min': minMeters,
    'video.depth_max': maxMeters,
    'video.shift': shift,
    'video.use_log': logarithmic,
    depth_unit: unit,
  }
}
