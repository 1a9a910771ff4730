import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { files, textOf } from './import-graph.ts'

const root = import.meta.dirname

describe('files', () => {
  test('that are started by their path beside a source are there', () => {
    const ways = [
      /join\(import\.meta\.dirname, '([^']+\.(?:ts|mjs|py))'/g,
      /new URL\('([^']+\.(?:ts|mjs|py))', import\.meta\.url/g,
      /\bbeside\('([^']+)'\)/g,
    ]
    const named = files.flatMap((file) =>
      ways.flatMap((way) => [...textOf(file).matchAll(way)].map(([, path = '']) => ({ file, path }))),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ file, path }) => !existsSync(join(root, dirname(file), path)))).toEqual([])
  })

  test('read in a few screens: at most 400 lines', () => {
    expect(
      files.map((file) => ({ file, lines: textOf(file).split('\n').length })).filter(({ lines }) => lines > 401),
    ).toEqual([])
  })

  test('are named after what they hold, in kebab-case', () => {
    const vague = /^(utils?|helpers?|common|shared|core|misc|types|constants)$/
    const named = files.map((file) => ({ file, name: basename(file).replace(/(\.[a-z-]+)?\.(ts|tsx|mjs)$/, '') }))
    expect(
      named.filter(({ name }) => vague.test(name) || !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)).map(({ file }) => file),
    ).toEqual([])
  })

  test('index.ts is a registry and nothing else', () => {
    const registries =
      /^(formats\/src\/(checks|layouts|layouts\/hdf5\/families|steps|writers)|server\/src\/jobs|server\/src\/imports\/sources)\/index\.ts$/
    expect(files.filter((file) => basename(file) === 'index.ts' && !registries.test(file))).toEqual([])
  })

  test('hold no marks of unfinished work', () => {
    const marks = /T[O]DO|F[I]XME|not impl[e]mented/
    expect(files.filter((file) => marks.test(textOf(file)))).toEqual([])
  })
})
