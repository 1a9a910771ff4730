import { createHash } from 'node:crypto'
import { BoundedMap } from '@nmp/formats/bounded-map'
import { splitCard } from '@nmp/formats/card/read-card'
import { isObject, type JsonObject, type JsonValue } from '@nmp/formats/json'
import { parseYamlBeside } from '../../http/bodies/json-thread.ts'

const mostBytes = 64 * 1024
const known = new BoundedMap<string, Promise<JsonObject | undefined>>(100)

/**
 * What stands between the lines at the top of a README.md; undefined where that is no YAML. Everybody may ask for it and strangers write
 * it: 64 KiB take a third of a second, so that it is parsed beside the loop, once for however often it is asked for.
 */
export async function readFront(readme: string): Promise<JsonObject | undefined> {
  const front = splitCard(readme)?.front ?? ''
  if (front === '' || front.length > mostBytes) return undefined
  const name = createHash('sha256').update(front).digest('hex')
  const found = known.get(name) ?? parse(front)
  known.set(name, found)
  found.catch(() => known.delete(name))
  return found
}

async function parse(front: string): Promise<JsonObject | undefined> {
  const parsed = await parseYamlBeside(new Uint8Array(Buffer.from(front)))
  const value = parsed.kind === 'value' ? (parsed.value as JsonValue) : undefined
  return isObject(value) ? value : undefined
}
