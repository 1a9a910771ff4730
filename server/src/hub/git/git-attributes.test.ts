import { expect, test } from 'vitest'
import { readIgnoreRules, readLargeFileRules } from './git-attributes.ts'

/** What `git check-attr filter` and `git check-ignore` of git 2.39 answer to the same lines. */
test.each<[lines: string, path: string, isLarge: boolean | undefined]>([
  ['*.bin filter=lfs diff=lfs merge=lfs -text', 'a.bin', true],
  ['*.bin filter=lfs', 'deep/in/a.bin', true],
  ['*.bin filter=lfs', 'a.bin.txt', undefined],
  ['*.bin filter=lfs', '.bin', true],
  ['*.tar.gz filter=lfs', 'x/a.tar.gz', true],
  ['*.bin -text', 'a.bin', undefined],
  ['*.bin filter=lfs\n*.bin -filter', 'a.bin', false],
  ['*.bin -filter\n*.bin filter=lfs', 'a.bin', true],
  ['*.bin filter=lfs\n*.bin !filter', 'a.bin', undefined],
  ['*.bin filter=other', 'a.bin', false],
  ['*.bin filter=lfs\nsmall/* -filter', 'small/a.bin', false],
  ['*.bin filter=lfs\nsmall/* -filter', 'small/deeper/a.bin', true],
  ['small/** -filter\n*.bin filter=lfs', 'small/a.bin', true],
  ['notes/** filter=lfs', 'notes/a/b.txt', true],
  ['notes/** filter=lfs', 'other/notes/b.txt', undefined],
  ['**/notes/* filter=lfs', 'other/notes/b.txt', true],
  ['a/**/b filter=lfs', 'a/b', true],
  ['a/**/b filter=lfs', 'a/x/y/b', true],
  ['a/**/b filter=lfs', 'a/x/y/c', undefined],
  ['saved_model/**/* filter=lfs', 'saved_model/variables/index', true],
  ['*tfevents* filter=lfs', 'runs/events.out.tfevents.17', true],
  ['/top.txt filter=lfs', 'top.txt', true],
  ['/top.txt filter=lfs', 'x/top.txt', undefined],
  ['folder/ filter=lfs', 'folder/a', undefined],
  ['file-[0-9].csv filter=lfs', 'file-7.csv', true],
  ['file-[!0-9].csv filter=lfs', 'file-7.csv', undefined],
  ['file-?.csv filter=lfs', 'file-x.csv', true],
  ['file-?.csv filter=lfs', 'file-10.csv', undefined],
  ['"with space.csv" filter=lfs', 'with space.csv', true],
  ['[attr]large filter=lfs -text\n*.csv large', 'a.csv', true],
  ['# *.csv filter=lfs', 'a.csv', undefined],
  ['!*.csv filter=lfs', 'a.csv', undefined],
  ['*.csv filter=lfs\r\n*.txt filter=lfs\r\n', 'a.txt', true],
  ['\\*.csv filter=lfs', '*.csv', true],
  ['\\*.csv filter=lfs', 'a.csv', undefined],
])('%j of %s: %s', (lines, path, isLarge) => {
  expect(readLargeFileRules(lines, 1)(path)).toBe(isLarge)
})

test.each<[lines: string, path: string, isIgnored: boolean]>([
  ['*.pyc', 'a/b.pyc', true],
  ['*.pyc', 'a/b.py', false],
  ['.venv/', '.venv/lib/x.py', true],
  ['.venv/', 'deep/.venv/x.py', true],
  ['.venv/', '.venv', false],
  ['/build', 'build/a', true],
  ['/build', 'x/build/a', false],
  ['*.log\n!keep.log', 'keep.log', false],
  ['*.log\n!keep.log', 'a/keep.log', false],
  ['logs/\n!logs/keep.log', 'logs/keep.log', true],
  ['logs/*\n!logs/keep.log', 'logs/keep.log', false],
  ['**/raw/**', 'a/raw/b', true],
  ['# *.txt', 'a.txt', false],
  ['*.txt   ', 'a.txt', true],
  ['', 'a.txt', false],
])('%j leaves out %s: %s', (lines, path, isIgnored) => {
  expect(readIgnoreRules(lines, 1)(path)).toBe(isIgnored)
})

test('patterns that would be tried without end mean nothing, and those that are cheap still count', () => {
  const hostile = Array.from(
    { length: 90 },
    (_, index) => `*${'a*'.repeat(40)}${'a'.repeat(100)}b${index % 10} filter=lfs`,
  )
  const rules = readLargeFileRules([...hostile, '*.csv filter=lfs'].join('\n'), 10)
  for (let index = 0; index < 2000; index++) expect(rules('a'.repeat(990) + index)).toBe(undefined)
  expect(rules('a.csv')).toBe(true)
})
