/** A thread of fingerprints-beside.ts. It is in the sandbox that the process is in. */
import { parentPort, workerData } from 'node:worker_threads'
import { parseHere } from '@nmp/formats/child/confinement'
import { openFolder } from '@nmp/formats/file-tree'
import { openDataset } from '@nmp/formats/layouts'
import { tryFingerprints, type WrittenFile } from '../../datasets/fingerprints.ts'

export interface FingerprintRequest {
  datasetFolder: string
  folder: string
}

parseHere()

const { datasetFolder, folder } = workerData as FingerprintRequest
// Whoever no longer wants them ends the thread.
const { signal } = new AbortController()
await using dataset = await openDataset(await openFolder(datasetFolder, { links: 'anywhere' }), { signal })
parentPort?.postMessage((await tryFingerprints(dataset, folder, signal)) satisfies WrittenFile[])
