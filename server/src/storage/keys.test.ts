import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeKeyPath, encodeKeyPath } from './folder/folder-paths.ts'
import { checkKey, newBlobKey, parseRunKey, runPrefix, stagingKey } from './keys.ts'

const component = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => !/[/\p{Cc}]/u.test(text) && text !== '.' && text !== '..' && text.isWellFormed())
const key = fc.array(component, { minLength: 1, maxLength: 5 }).map((components) => components.join('/'))

test('whatever a job calls its files, their keys are fit, lie side by side and are told apart', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('.', '..', '../x', 'a/b', 'a', '\0', 'x'.repeat(5000)),
  )
  fc.assert(
    fc.property(name, name, fc.nat(), (one, other, epoch) => {
      const [oneKey, otherKey] = [stagingKey('imp_1', epoch, one), stagingKey('imp_1', epoch, other)]
      expect(checkKey(oneKey)).toBe(oneKey)
      expect(oneKey.split('/')).toHaveLength(4)
      expect(oneKey.startsWith(runPrefix('imp_1', epoch))).toBe(true)
      expect(parseRunKey(oneKey)).toEqual({ jobId: 'imp_1', epoch })
      expect(oneKey === otherKey).toBe(one.toWellFormed() === other.toWellFormed())
    }),
  )
})

test('the key of new content says whose it is and was never used', () => {
  const keys = Array.from({ length: 100 }, () => newBlobKey('a/../b', 7))
  expect(new Set(keys).size).toBe(100)
  expect(parseRunKey(keys[0] ?? '')).toEqual({ jobId: 'a/../b', epoch: 7 })
  expect(parseRunKey('.store-id')).toBeUndefined()
  expect(() => newBlobKey('imp_1', 1.5)).toThrow('whole number')
})

test('paths on disk come back as their keys, have short and plain names, and differ without regard to case', () => {
  fc.assert(
    fc.property(key, key, (one, other) => {
      const path = encodeKeyPath(one)
      expect(decodeKeyPath(path)).toBe(one)
      for (const name of path.split('/')) expect(name).toMatch(/^[a-z0-9._%-]{1,200}$/)
      if (one !== other) expect(path.toLowerCase()).not.toBe(encodeKeyPath(other).toLowerCase())
    }),
  )
  const long = 'ü'.repeat(127)
  expect(decodeKeyPath(encodeKeyPath(long))).toBe(long)
  for (const foreign of ['A', 'a b', '%zz', '%41%', '%ff', 'x%_/y']) expect(decodeKeyPath(foreign)).toBeUndefined()
})
