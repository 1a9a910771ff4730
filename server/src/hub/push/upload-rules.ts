import type { Context } from '../../context.ts'
import {
  attributesPath,
  ignorePath,
  type LargeFileRules,
  largestRulesBytes,
  readIgnoreRules,
  readLargeFileRules,
} from '../git/git-attributes.ts'
import { findPushedObject, type Push, type PushFile } from './pushes.ts'

export interface UploadRules {
  isLarge: LargeFileRules
  isIgnored(path: string): boolean
}

interface Given {
  /** What the client says they are. */
  gitAttributes: unknown
  gitIgnore: unknown
  /** What it is about to send. */
  files: readonly { path: string; size: number; sample?: unknown }[]
}

/** As the Hub has it: what comes with the request counts, or is about to be committed, then what the repository holds. */
export async function findUploadRules(
  context: Context,
  push: Push,
  tree: ReadonlyMap<string, PushFile>,
  { gitAttributes, gitIgnore, files }: Given,
): Promise<UploadRules> {
  const find = async (path: string, said: unknown): Promise<string> => {
    if (typeof said === 'string') return said.slice(0, largestRulesBytes)
    const sent = files.find((file) => file.path === path)
    if (sent) return readSample(sent)
    const stored = tree.get(path)
    const blob = stored && (await findPushedObject(context.db, push, stored.sha256))
    return blob ? readRules(context, blob) : ''
  }
  return {
    isLarge: readLargeFileRules(await find(attributesPath, gitAttributes), files.length),
    isIgnored: readIgnoreRules(await find(ignorePath, gitIgnore), files.length),
  }
}

/** The clients send the first 512 bytes of every file; of a longer one the last line may be cut, and is left out. */
function readSample({ size, sample }: Given['files'][number]): string {
  const bytes = Buffer.from(typeof sample === 'string' ? sample : '', 'base64')
  const text = bytes.toString('utf8')
  return bytes.byteLength >= size ? text : text.slice(0, text.lastIndexOf('\n') + 1)
}

export async function readRules(
  { storage }: Pick<Context, 'storage'>,
  { storeKey, sizeBytes }: { storeKey: string; sizeBytes: number },
): Promise<string> {
  if (sizeBytes === 0) return ''
  const { body } = await storage.getObject(storeKey, { range: { start: 0, end: largestRulesBytes } })
  return Buffer.concat(await body.toArray()).toString('utf8')
}
