import type { Context } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { quotaOf, requireRoom } from '../storage/quota.ts'
import type { Version } from '../versions/service.ts'
import { findTarget } from '../versions/targets.ts'
import { estimateTarget } from './target-preview.ts'
import { type OptionsByKey, readSettings } from './target-settings.ts'
import { openVersionSource } from './version-source.ts'

interface TargetWish {
  version: Version
  artifactKeys: readonly string[]
  options?: OptionsByKey
}

/** Options that a target knows, and room for what it would be. */
export async function requireTargets(
  context: Context,
  { version, artifactKeys, options = {} }: TargetWish,
): Promise<void> {
  const stray = Object.keys(options).find((key) => !artifactKeys.includes(key))
  if (stray !== undefined)
    throw new ServiceError('validation_failed', `options names "${stray}", which is not among artifact_keys.`)
  const wanted = artifactKeys.flatMap((key) => findTarget(key) ?? [])
  for (const target of wanted) {
    readSettings(target, options[target.artifactKey])
    const isCounted = target.artifactKey === 'lerobot' || isUnderWay(version, target.artifactKey)
    // Without its source a version that was made can still be written in another form; how large that is shows at the end.
    if (isCounted || !version.revisionId) continue
    const source = await openVersionSource(context, version)
    const resolved = readSettings(target, options[target.artifactKey], source.result.roles)
    const sizeBytes = await estimateTarget(context, source, target, resolved)
    await requireRoom(context.db, quotaOf(context.config, version.orgId, 'export'), sizeBytes)
  }
}

const isUnderWay = ({ artifacts }: Version, key: string): boolean =>
  artifacts.some((artifact) => artifact.key === key && ['queued', 'running'].includes(artifact.status))
