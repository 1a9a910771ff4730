import { workerData } from 'node:worker_threads'
import { write } from '@nmp/formats/lerobot/writer'
import { openDemoDataset } from './dataset.ts'

/** Runs in a thread of its own: drawing takes a core for some seconds, and the program has people to answer meanwhile. */
const { folder, episodes } = workerData as { folder: string; episodes: number }
await using dataset = openDemoDataset(episodes)
await write(dataset, folder, { videoCodec: 'h264' })
