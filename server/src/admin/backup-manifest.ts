import { programVersion } from '../config.ts'
import type { SequenceState, TableShape } from './backup-catalog.ts'

export const manifestName = 'manifest.json'
export const objectListName = 'objects.jsonl'
export const tablePrefix = 'tables/'
export const objectPrefix = 'objects/'
/** A file may get another name after it was sealed. */
export const sealedFileName = 'backup file'

const format = 'nmp-backup-1'
const maxManifestBytes = 16 << 20

/** The first entry of a backup: what it is of, and what must be in it. */
export interface Manifest {
  format: typeof format
  program_version: string
  schema_version: number
  created_at: string
  /** The id of the object store that belongs to the rows; null when none was joined yet. */
  store_id: string | null
  /** Whether the objects are in the file, or only their list. */
  with_objects: boolean
  tables: (TableShape & { rows: number })[]
  sequences: SequenceState[]
}

/** A line of `objects.jsonl`. The hash is there when the database or this backup knows it. */
export interface ObjectLine {
  key: string
  size_bytes: number
  etag: string
  sha256: string | null
}

export const createManifest = (facts: Omit<Manifest, 'format' | 'program_version' | 'created_at'>): Manifest => ({
  format,
  program_version: programVersion,
  created_at: new Date().toISOString(),
  ...facts,
})

export async function readManifest(
  name: string,
  sizeBytes: number,
  body: AsyncIterable<Uint8Array>,
): Promise<Manifest> {
  if (name !== manifestName || sizeBytes > maxManifestBytes) throw new Error('The file is not an nmp backup.')
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const manifest = parseJson(Buffer.concat(chunks).toString())
  if (manifest?.format !== format) throw new Error('The file is not an nmp backup, or was made by a newer program.')
  if (!isWhole(manifest)) throw new Error('The manifest of the backup is damaged. Nothing was changed.')
  return manifest
}

/** Its hash is compared at the end of the file, and it is read before: a flipped bit may have changed a name in it. */
const isWhole = ({ tables, sequences }: Manifest): boolean =>
  Array.isArray(tables) &&
  tables.every((table) => typeof table?.name === 'string' && Array.isArray(table.columns)) &&
  Array.isArray(sequences)

function parseJson(text: string): Manifest | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
