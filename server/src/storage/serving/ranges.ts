import type { ByteRange } from '../storage.ts'

export interface Representation {
  sizeBytes: number
  etag: string
  lastModified: Date
}

export interface ConditionalHeaders {
  range?: string | undefined
  'if-range'?: string | undefined
  'if-none-match'?: string | undefined
  'if-modified-since'?: string | undefined
}

/** What to answer to a GET or HEAD: `start` up to `end` are the bytes of the body, equal when it is empty. */
export interface RangeAnswer extends ByteRange {
  status: 200 | 206 | 304 | 416
  headers: Record<string, string>
}

/**
 * RFC 9110: conditions first, then one range. Several ranges get the whole object, which the RFC allows and which keeps a request for
 * a thousand overlapping ranges from costing more than one download. A header that is no range at all is ignored, as the RFC says.
 */
export const answerRange = (request: ConditionalHeaders, object: Representation): RangeAnswer => {
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag: object.etag,
    'last-modified': object.lastModified.toUTCString(),
  }
  if (isUnchanged(request, object)) return { status: 304, headers, start: 0, end: 0 }

  const range = holdsIfRange(request['if-range'], object) ? parseRange(request.range, object.sizeBytes) : 'whole'
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${object.sizeBytes}`, 'content-length': '0' },
      start: 0,
      end: 0,
    }
  }
  if (range === 'whole') {
    return {
      status: 200,
      headers: { ...headers, 'content-length': String(object.sizeBytes) },
      start: 0,
      end: object.sizeBytes,
    }
  }
  return {
    status: 206,
    headers: {
      ...headers,
      'content-range': `bytes ${range.start}-${range.end - 1}/${object.sizeBytes}`,
      'content-length': String(range.end - range.start),
    },
    ...range,
  }
}

/** `whole` when there is no usable single range. */
export const parseRange = (header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' => {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '')
  if (!match) return 'whole'
  const [, first, last] = match
  if (!first) {
    if (!last) return 'whole'
    const suffixBytes = Number(last)
    if (suffixBytes === 0 || sizeBytes === 0) return 'unsatisfiable'
    return { start: Math.max(0, sizeBytes - suffixBytes), end: sizeBytes }
  }
  const start = Number(first)
  const lastByte = last ? Number(last) : Number.POSITIVE_INFINITY
  if (lastByte < start) return 'whole'
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: Math.min(lastByte + 1, sizeBytes) }
}

const isUnchanged = (request: ConditionalHeaders, object: Representation): boolean => {
  const tags = request['if-none-match']
  if (tags !== undefined) {
    if (tags.trim() === '*') return true
    const wanted = stripWeak(object.etag)
    return listEntityTags(tags).some((tag) => stripWeak(tag) === wanted)
  }
  const since = Date.parse(request['if-modified-since'] ?? '')
  return Number.isFinite(since) && toSeconds(object.lastModified) <= since
}

/** A range of an older object must not be glued to a newer one: then the whole object is sent. */
const holdsIfRange = (header: string | undefined, object: Representation): boolean => {
  if (header === undefined) return true
  const value = header.trim()
  if (value.startsWith('"')) return value === object.etag
  if (value.startsWith('W/')) return false
  return Date.parse(value) === toSeconds(object.lastModified)
}

const listEntityTags = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []
const stripWeak = (tag: string): string => tag.replace(/^W\//, '')

/** HTTP dates have whole seconds. */
const toSeconds = (date: Date): number => Math.floor(date.getTime() / 1000) * 1000
