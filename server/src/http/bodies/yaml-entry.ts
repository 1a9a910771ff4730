/** The thread of json-thread.ts for YAML. */
import { parentPort } from 'node:worker_threads'
import { parseYaml } from '@nmp/formats/yaml'
import type { JsonQuestion, ParsedJson } from './json-thread.ts'

parentPort?.on('message', ({ bytes }: JsonQuestion) => parentPort?.postMessage(parse(bytes)))

function parse(bytes: Uint8Array): ParsedJson {
  try {
    return { kind: 'value', value: parseYaml(Buffer.from(bytes).toString('utf8')) }
  } catch {
    return { kind: 'invalid' }
  }
}
