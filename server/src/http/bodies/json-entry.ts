/** The thread of json-thread.ts. */
import { parentPort } from 'node:worker_threads'
import { type JsonQuestion, parseJson } from './json-thread.ts'

parentPort?.on('message', ({ bytes, bounds }: JsonQuestion) => parentPort?.postMessage(parseJson(bytes, bounds)))
