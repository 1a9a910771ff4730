import { writers } from '@nmp/formats/writers'
import type { Writer } from '@nmp/formats/writers/writer'

/** A writer whose result is an artifact of versions. */
export type Target = Writer & { artifactKey: string }

export const targets: readonly Target[] = writers.filter((writer): writer is Target => writer.artifactKey !== undefined)

export const targetKeys: readonly string[] = targets.map(({ artifactKey }) => artifactKey)

export const findTarget = (key: string): Target | undefined => targets.find(({ artifactKey }) => artifactKey === key)
