import { createHash } from 'node:crypto'
import type { LargeFileRules } from './git-attributes.ts'

/** Names that git would give: the clients compare them to skip what did not change. */
export const hashGitBlob = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex')

export const writePointer = (sha256: string, sizeBytes: number): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${sizeBytes}\n`

export const describePointer = (sha256: string, sizeBytes: number): { oid: string; pointerSize: number } => {
  const pointer = Buffer.from(writePointer(sha256, sizeBytes))
  return { oid: hashGitBlob(pointer), pointerSize: pointer.byteLength }
}

/** Folders have no content of their own here; any name that stays the same will do. */
export const nameFolder = (commit: string, path: string): string =>
  createHash('sha1').update(`tree ${commit} ${path}`).digest('hex')

/** Forty digits that depend on nothing but what they are given. */
export const nameCommit = (...facts: readonly string[]): string =>
  createHash('sha256').update(facts.join('\0')).digest('hex').slice(0, 40)

const largeSuffix = /\.(parquet|mp4|png|jpe?g|arrow|hdf5|h5|tar|zip|bin|safetensors)$/i
const largestRegularBytes = 1024 * 1024

/** Which files the Hub would keep outside of git: large ones, what `.gitattributes` says, and where it says nothing, by suffix. */
export const isLargeFile = (path: string, sizeBytes: number, rules?: LargeFileRules): boolean =>
  sizeBytes > largestRegularBytes || (sizeBytes > 0 && (rules?.(path) ?? largeSuffix.test(path)))
