import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import { components, listWrittenStyles, stylesheets } from './console-styles.ts'
import { sources, textOf } from './import-graph.ts'

/** What ARCHITECTURE.md says of the console's styles, changes and stores. */
describe('the console', () => {
  const pages = stylesheets.filter(({ file }) => !file.startsWith('web/src/parts/'))
  const parts = new Set(stylesheets.filter((sheet) => !pages.includes(sheet)).flatMap(({ classes }) => [...classes]))

  test('stylesheets read in a few screens: at most 400 lines', () => {
    expect(stylesheets.filter(({ lines }) => lines > 400).map(({ file }) => file)).toEqual([])
  })

  test('classes begin with a word, not with a letter or two', () => {
    const names = new Set(stylesheets.flatMap(({ classes }) => [...classes]))
    expect([...names].filter((name) => !/^[a-z]{3,}(-[a-z0-9]+)*$/.test(name))).toEqual([])
  })

  test('a class is styled in one stylesheet; others reach it only from a class of their own', () => {
    const homes = new Map<string, string[]>()
    for (const { file, subjects } of stylesheets)
      for (const name of subjects) homes.set(name, [...(homes.get(name) ?? []), file])
    expect([...homes].filter(([, files]) => files.length > 1)).toEqual([])
  })

  test('a component names classes of the parts and of the stylesheets that it imports, and no others', () => {
    const unknown = components.flatMap(({ file, classes, imports: own }) => {
      const known = new Set(pages.filter((sheet) => own.includes(sheet.file)).flatMap((sheet) => [...sheet.classes]))
      return [...classes].filter((name) => !parts.has(name) && !known.has(name)).map((name) => `${file}: ${name}`)
    })
    expect(unknown).toEqual([])
  })

  test('no class is styled that nothing is drawn with', () => {
    const strings = components.flatMap(({ text }) => text.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [])
    const words = new Set(strings.flatMap((text) => text.match(/[a-z][\w-]*/g) ?? []))
    const foreign = new Set(['uplot'])
    const unused = stylesheets
      .flatMap(({ classes }) => [...classes])
      .filter((name) => !words.has(name) && !foreign.has(name))
    expect(unused).toEqual([])
  })

  test('main.css has every stylesheet of the parts', () => {
    const main = textOf('web/src/main.css')
    const missing = stylesheets.filter((sheet) => !pages.includes(sheet) && !main.includes(basename(sheet.file)))
    expect(missing.map(({ file }) => file)).toEqual([])
  })

  test('style={{ … }} is for what is computed', () => {
    expect(components.flatMap(({ file, text }) => listWrittenStyles(text).map((entry) => `${file}: ${entry}`))).toEqual(
      [],
    )
  })

  test('queries are made old in one place, which names keys that exist; a key is given out once', () => {
    const console = sources.filter((file) => file.startsWith('web/src/'))
    const using = (name: RegExp): string[] => console.filter((file) => name.test(textOf(file)))
    expect(using(/\.invalidateQueries\(/)).toEqual(['web/src/data/refresh.ts'])
    const keys = console.flatMap((file) =>
      [...textOf(file).matchAll(/queryKey: \[('[\w-]+'(?:, '[\w-]+')?)/g)].map(([, key]) => key),
    )
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
    const known = new Set(keys.map((key) => key?.split(',')[0]))
    const renewed = textOf('web/src/data/refresh.ts').match(/(?<=\[)'[\w-]+'/g) ?? []
    expect(renewed.length).toBeGreaterThan(20)
    expect(renewed.filter((key) => !known.has(key))).toEqual([])
    // Beside the store: two that listen to the browser itself.
    expect(using(/useSyncExternalStore/)).toEqual([
      'web/src/parts/media-query.ts',
      'web/src/session/online.ts',
      'web/src/session/store.ts',
    ])
    expect(using(/\buseMutation\b/)).toEqual(['web/src/parts/use-change.ts'])
  })
})
