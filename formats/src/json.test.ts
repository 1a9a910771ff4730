import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openFolder } from './file-tree.ts'
import { parseJson, readJsonLines } from './json.ts'

describe('JSON', () => {
  test('any value comes back as JSON.parse gives it, and Python tokens become null', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify({ value, text: 'NaN, -Infinity and "[[[" stay' })
        expect(parseJson(text, 'x').value).toEqual(JSON.parse(text))
      }),
    )
    expect(parseJson('{"a": NaN, "b": [-Infinity, Infinity], "NaN": "NaN"}', 'x')).toEqual({
      value: { a: null, b: [null, null], NaN: 'NaN' },
      nonFiniteCount: 3,
    })
  })

  test('too deep, too large and malformed are refused with the place', () => {
    expect(() => parseJson('['.repeat(100_000), 'info.json')).toThrow('info.json nests deeper than 64 levels.')
    expect(() => parseJson(`"${'x'.repeat(200)}"`, 'info.json', { maxBytes: 100, maxDepth: 9 })).toThrow(/larger than/)
    expect(() => parseJson('{"a": }', 'info.json')).toThrow(/info\.json is not valid JSON/)
  })

  test('lines are read across piece borders, empty ones skipped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'json-'))
    const lines = Array.from({ length: 40_000 }, (_, index) => JSON.stringify({ index, text: 'ü'.repeat(index % 50) }))
    await writeFile(join(folder, 'a.jsonl'), `${lines.join('\n')}\n\n{"index": -1}`)
    const found = []
    for await (const { value } of readJsonLines(await openFolder(folder), 'a.jsonl'))
      found.push((value as { index: number }).index)
    expect(found).toEqual([...lines.keys(), -1])
  })
})
