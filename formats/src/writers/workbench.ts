import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FilePool } from '../bytes.ts'
import { type Codec, openCodec } from '../containers/codec/codec.ts'
import type { WriteOptions } from './writer.ts'

/** What a writer works with, from its beginning to its end or failure; nothing of it stays. */
export interface Workbench {
  /** In the folder that is written to: what is finished here only has to be moved. */
  readonly workFolder: string
  readonly codec: Codec
  readonly pool: FilePool
}

/** Only codec processes of the caller outlive it. */
export async function openWorkbench(
  folder: string,
  { codec: given, signal }: Pick<WriteOptions, 'codec' | 'signal'>,
): Promise<Workbench & AsyncDisposable> {
  const workFolder = await mkdtemp(join(folder, '.work-'))
  const codec = given ?? openCodec({ signal, folder: workFolder })
  const pool = new FilePool()
  return {
    ...{ workFolder, codec, pool },
    [Symbol.asyncDispose]: async () => {
      if (!given) await codec.close()
      await pool.close()
      await rm(workFolder, { recursive: true, force: true })
    },
  }
}
