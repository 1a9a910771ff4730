import type { ImportLosses } from './generated/records.ts'

const counts = new Intl.NumberFormat('en')

/** "48 of 50 episodes left out, 1 camera, feature or file dropped": for `losses` of an import, `import_losses` of a dataset. */
export function describeLosses({ episodes_found: found, episodes_left_out: left, dropped }: ImportLosses): string {
  const parts = [
    left > 0 && `${counts.format(left)} of ${counts.format(found)} episodes left out`,
    dropped > 0 &&
      `${counts.format(dropped)} ${dropped === 1 ? 'camera, feature or file' : 'cameras, features or files'} dropped`,
  ]
  return parts.filter(Boolean).join(', ')
}
