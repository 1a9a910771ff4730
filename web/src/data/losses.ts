import type { ImportLosses } from '@nmp/sdk/generated/records'
import { formatCount } from '../parts/formats.ts'

/** "48 of 50 episodes left out, 1 camera, feature or file dropped". */
export function describeLosses({ episodes_found: found, episodes_left_out: left, dropped }: ImportLosses): string {
  const parts = [
    left > 0 && `${formatCount(left)} of ${formatCount(found)} episodes left out`,
    dropped > 0 &&
      `${formatCount(dropped)} ${dropped === 1 ? 'camera, feature or file' : 'cameras, features or files'} dropped`,
  ]
  return parts.filter(Boolean).join(', ')
}
