import type { Context } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { readBody } from './response-body.ts'
import { inTries } from './retries.ts'
import { openSourceDoor, requireAllowedAddress } from './source-door.ts'
import type { TransferLimits } from './transfer-limits.ts'
import { openAddress } from './url.ts'
import { lastSegment } from './url-name.ts'

/** A file that is no dataset, at a plain address. */
export interface PlainFile {
  host: string
  /** The last part of its address; empty where there is none. */
  name: string
  isPage: boolean
  read(): AsyncGenerator<Uint8Array>
}

/** By the same door as sources, to be read once and in one go; beyond `maxBytes` it is refused. */
export async function openPlainFile(
  { config }: Pick<Context, 'config'>,
  url: string,
  { maxBytes, signal, limits }: { maxBytes: number; signal: AbortSignal; limits: TransferLimits },
): Promise<PlainFile> {
  const door = openSourceDoor(config.NMP_SOURCE_ALLOW, limits)
  const start = requireAllowedAddress(url, config.NMP_SOURCE_ALLOW)
  start.hash = ''
  const host = start.hostname
  const { response } = await inTries(() => openAddress(door, start, {}, signal), limits, signal)
  return {
    host,
    name: lastSegment(start),
    isPage: /html/i.test(response.headers['content-type'] ?? ''),
    async *read() {
      let bytes = 0
      for await (const chunk of readBody(response, host, limits, signal)) {
        bytes += chunk.byteLength
        if (bytes > maxBytes)
          throw new ServiceError(
            'source_too_large',
            `The file at ${host} is larger than the ${maxBytes} bytes allowed.`,
          )
        yield chunk
      }
    },
  }
}
