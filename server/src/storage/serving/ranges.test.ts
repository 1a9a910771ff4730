import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerRange, parseRange } from './ranges.ts'

const object = { sizeBytes: 1000, etag: '"abc"', lastModified: new Date('2026-03-04T05:06:07.890Z') }
const modifiedAt = 'Wed, 04 Mar 2026 05:06:07 GMT'

test.each([
  ['bytes=0-0', 206, 0, 1, 'bytes 0-0/1000'],
  ['bytes=10-19', 206, 10, 20, 'bytes 10-19/1000'],
  ['bytes=990-', 206, 990, 1000, 'bytes 990-999/1000'],
  ['bytes=-10', 206, 990, 1000, 'bytes 990-999/1000'],
  ['bytes=-5000', 206, 0, 1000, 'bytes 0-999/1000'],
  ['bytes=990-99999999999999999999', 206, 990, 1000, 'bytes 990-999/1000'],
  ['bytes=1000-', 416, 0, 0, 'bytes */1000'],
  ['bytes=-0', 416, 0, 0, 'bytes */1000'],
  ['bytes=18446744073709551616-', 416, 0, 0, 'bytes */1000'],
  ['bytes=0-1,5-6', 200, 0, 1000, undefined],
  [`bytes=${'0-0,'.repeat(1000)}0-0`, 200, 0, 1000, undefined],
  ['bytes=9-3', 200, 0, 1000, undefined],
  ['bytes=-', 200, 0, 1000, undefined],
  ['items=0-1', 200, 0, 1000, undefined],
  ['', 200, 0, 1000, undefined],
])('%s is answered with %i', (range, status, start, end, contentRange) => {
  const answer = answerRange({ range }, object)
  expect({ status: answer.status, start: answer.start, end: answer.end }).toEqual({ status, start, end })
  expect(answer.headers['content-range']).toBe(contentRange)
  expect(answer.headers['content-length']).toBe(String(end - start))
})

describe('conditions', () => {
  test.each([
    ['"abc"', 304],
    ['W/"abc"', 304],
    ['"x", "abc"', 304],
    ['*', 304],
    ['"abcd"', 200],
    ['abc', 200],
  ])('If-None-Match: %s gives %i', (tags, status) => {
    expect(answerRange({ 'if-none-match': tags }, object).status).toBe(status)
  })

  test('If-Modified-Since counts whole seconds and yields to If-None-Match', () => {
    expect(answerRange({ 'if-modified-since': modifiedAt }, object).status).toBe(304)
    expect(answerRange({ 'if-modified-since': 'Wed, 04 Mar 2026 05:06:06 GMT' }, object).status).toBe(200)
    expect(answerRange({ 'if-modified-since': modifiedAt, 'if-none-match': '"x"' }, object).status).toBe(200)
    expect(answerRange({ 'if-modified-since': 'yesterday' }, object).status).toBe(200)
  })

  test.each([
    ['"abc"', 206],
    [modifiedAt, 206],
    ['"old"', 200],
    ['W/"abc"', 200],
    ['Wed, 04 Mar 2026 05:06:08 GMT', 200],
    ['nonsense', 200],
  ])('If-Range: %s gives %i', (ifRange, status) => {
    expect(answerRange({ range: 'bytes=0-9', 'if-range': ifRange }, object).status).toBe(status)
  })

  test('a condition that holds comes before a range that cannot be satisfied', () => {
    expect(answerRange({ range: 'bytes=5000-', 'if-none-match': '"abc"' }, object).status).toBe(304)
  })
})

test('every range lies in the object and never asks for more than was asked', () => {
  const number = fc.oneof(fc.nat({ max: 2000 }), fc.maxSafeNat())
  fc.assert(
    fc.property(fc.nat({ max: 1500 }), number, number, (sizeBytes, first, last) => {
      const answer = parseRange(`bytes=${first}-${last}`, sizeBytes)
      if (answer === 'whole') return last < first
      if (answer === 'unsatisfiable') return first >= sizeBytes
      return answer.start === first && answer.end === Math.min(last + 1, sizeBytes) && answer.start < answer.end
    }),
  )
})

test('pieces cut anywhere join to the whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 700 }), (sizeBytes, stepBytes) => {
      let position = 0
      while (position < sizeBytes) {
        const piece = parseRange(`bytes=${position}-${position + stepBytes - 1}`, sizeBytes)
        if (typeof piece === 'string' || piece.start !== position) return false
        position = piece.end
      }
      const suffix = parseRange(`bytes=-${stepBytes}`, sizeBytes)
      return position === sizeBytes && typeof suffix !== 'string' && suffix.end === sizeBytes
    }),
  )
})

test('no header makes the answer inconsistent', () => {
  const object = fc.record({
    sizeBytes: fc.nat({ max: 50 }),
    etag: fc.constant('"e"'),
    lastModified: fc.date({ noInvalidDate: true }),
  })
  const header = fc.option(fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,3}-\d{0,3}(,\d-\d)?$/)), {
    nil: undefined,
  })
  fc.assert(
    fc.property(object, header, header, header, (represented, range, ifRange, ifNoneMatch) => {
      const answer = answerRange({ range, 'if-range': ifRange, 'if-none-match': ifNoneMatch }, represented)
      expect(answer.start).toBeLessThanOrEqual(answer.end)
      expect(answer.end).toBeLessThanOrEqual(represented.sizeBytes)
      expect(answer.status === 206).toBe(
        answer.headers['content-range']?.startsWith('bytes ') === true &&
          answer.status !== 416 &&
          answer.end > answer.start,
      )
      if (answer.status !== 304) expect(answer.headers['content-length']).toBe(String(answer.end - answer.start))
    }),
  )
})
