import type { IncomingMessage } from 'node:http'
import { findFileKind } from './file-kind.ts'

/** By what the server calls it, else by the addresses; with the ending of what it is, where none has one that is known. */
export const nameFile = (addresses: readonly URL[], response: IncomingMessage, head: Buffer): string | undefined => {
  const disposition = String(response.headers['content-disposition'] ?? '').slice(0, 2048)
  const given = [findDispositionName(disposition), ...addresses.map(lastSegment)].filter((name) => name !== '')
  const known = given.find((name) => /\.(hdf5|h5|hdf|tar|tar\.gz|tgz|zip)$/i.test(name))
  if (known !== undefined) return known
  const kind = findFileKind(head)
  return kind && `${given[0] ?? 'download'}${kind}`
}

export const lastSegment = (address: URL): string => cleanName(decode(address.pathname.split('/').at(-1) ?? ''))

const findDispositionName = (disposition: string): string => {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1]
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))/i.exec(disposition)
  return cleanName(extended === undefined ? (plain?.[1] ?? plain?.[2] ?? '') : decode(extended))
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The last part of what someone else calls a file, so that the name is never a path. */
const cleanName = (name: string): string => {
  const last = name.trim().split(/[/\\]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const plain = last.replace(/[\0-\x1f\x7f]/g, '')
  return plain === '.' || plain === '..' ? '' : plain
}
