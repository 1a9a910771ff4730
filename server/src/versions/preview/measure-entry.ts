/** A thread of measure-threads.ts. */
import { parentPort } from 'node:worker_threads'
import { measureDimensions } from './measure-changed.ts'
import type { MeasureQuestion } from './measure-threads.ts'

parentPort?.on('message', ({ column, from, to }: MeasureQuestion) =>
  parentPort?.postMessage(measureDimensions(column, from, to)),
)
