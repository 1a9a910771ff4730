import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Program } from '../../../e2e/program.ts'

const execute = promisify(execFile)

const uploadBytes = 256 * 1024 * 1024
const blockBytes = 8 * 1024 * 1024

/** The peer of our own clients: the same upload by one request of curl, and the sha256 of its file after it. */
export async function uploadByCurl(program: Program, bearer: string, file: string): Promise<void> {
  const created = await program.call('POST', '/api/v1/uploads', {
    bearer,
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(uploadBytes),
      'upload-metadata': `filename ${Buffer.from('random.hdf5').toString('base64')}`,
    },
  })
  const tus = ['-H', `Authorization: Bearer ${bearer}`, '-H', 'Tus-Resumable: 1.0.0']
  const type = ['-H', 'Upload-Offset: 0', '-H', 'Content-Type: application/offset+octet-stream']
  await execute('curl', ['-fsS', '-X', 'PATCH', ...tus, ...type, '-T', file, created.headers.get('location') ?? ''])
  await execute('sha256sum', [file])
}

export async function writeRandomFile(path: string): Promise<void> {
  const file = await open(path, 'w')
  for (let written = 0; written < uploadBytes; written += blockBytes) await file.write(randomBytes(blockBytes))
  await file.close()
}
