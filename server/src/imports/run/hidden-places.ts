import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { FormatError } from '@nmp/formats/errors'
import type { Finding } from '@nmp/formats/finding'
import { ServiceError } from '../../errors.ts'

/** Takes folders of this machine out of what a person will read, and what a terminal would obey. */
export interface PlaceHider {
  hideInText(text: string): string
  hideInFindings(findings: readonly Finding[]): Finding[]
  hideInError(error: unknown): unknown
}

/** Control characters and turns of direction. PostgreSQL takes no NUL either: an end that holds one could not be written. */
const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/**
 * The work of an import lies in folders that mean nothing to who recorded the data, and say more about the machine than a
 * stranger should know. Sentences are made with the names that files have in their source; this is the net below them.
 */
export function createPlaceHider(folders: readonly string[]): PlaceHider {
  const places = [...new Set(folders.flatMap((folder) => [resolve(folder), resolveLinks(folder)]))]
    .filter((place) => place !== '/')
    .sort((one, other) => other.length - one.length)
  const hideInText = (text: string): string =>
    places
      .reduce((said, place) => said.replaceAll(`${place}/`, '').replaceAll(place, 'its folder'), text)
      .replaceAll(unprintable, '\ufffd')
  return {
    hideInText,
    hideInFindings: (findings) => findings.map((entry) => ({ ...entry, sentence: hideInText(entry.sentence) })),
    hideInError(error) {
      if (!(error instanceof FormatError || error instanceof ServiceError)) return error
      const sentence = hideInText(error.message)
      if (sentence === error.message) return error
      if (error instanceof FormatError) return new FormatError(error.code, sentence, { cause: error })
      const wait = error.retryAfterSeconds
      return new ServiceError(error.code, sentence, {
        cause: error,
        ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
      })
    },
  }
}

const resolveLinks = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
