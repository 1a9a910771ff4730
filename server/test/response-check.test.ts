import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { checkResponse } from './response-check.ts'

const token = Type.Object({
  id: Type.String(),
  scopes: Type.Array(Type.Unsafe({ type: 'string', enum: ['workspace:read'] })),
  expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  provenance: Type.Record(Type.String(), Type.Unknown()),
})
const check = checkResponse(Type.Object({ items: Type.Array(token) }))
const good = { id: 'tok_1', scopes: ['workspace:read'], expires_at: '2026-11-15T08:00:00.000Z', provenance: { any: 1 } }

test('an answer that matches passes', () => {
  check({ items: [good, { ...good, expires_at: null }] }, 'GET /tokens')
})

test.each([
  [
    'a wrong value',
    { ...good, id: 5 },
    'GET /tokens does not answer what its schema says: /items/0/id must be string, got 5',
  ],
  ['a date in another form', { ...good, expires_at: 'tomorrow' }, '/items/0/expires_at must match format "date-time"'],
  [
    'an unknown word',
    { ...good, scopes: ['all'] },
    '/items/0/scopes/0 must be equal to one of the allowed values, got "all"',
  ],
  ['a field left out', { ...good, expires_at: undefined }, "/items/0 must have required property 'expires_at'"],
  [
    'a field nobody declared',
    { ...good, secret_hash: 'x' },
    '/items/0 must NOT have additional properties (secret_hash)',
  ],
])('%s is named with its place', (_, item, sentence) => {
  expect(() => check({ items: [item] }, 'GET /tokens')).toThrow(sentence)
})
