import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseYaml } from '../containers/yaml.ts'
import { openFolder } from '../file-tree.ts'
import { Findings } from '../finding.ts'
import type { JsonObject } from '../json.ts'
import type { DatasetCard } from './dataset-card.ts'
import { parseCard, readCard } from './read-card.ts'
import { writeCard } from './write-card.ts'

const parse = (text: string) => {
  const findings = new Findings()
  return { card: parseCard(text, 'README.md', findings), rules: findings.list.map(({ rule }) => rule), findings }
}
const nothing: DatasetCard = {
  ...{ title: null, description: null, licence: null, tags: [], language: [], citation: null, markdown: null },
  ...{ workName: null, taskName: null, robotType: null, embodiment: null, robotDescriptionUri: null, more: {} },
}

/** As `lerobot` 0.6.1 fills its template. */
const ofLeRobot = `---
# For reference on dataset card metadata, see the spec: https://github.com/huggingface/hub-docs
license: apache-2.0
task_categories:
- robotics
tags:
- LeRobot
- cubes
configs:
- config_name: default
  data_files: data/*/*.parquet
---

This dataset was created using [LeRobot](https://github.com/huggingface/lerobot).

## Dataset Description

- **Paper:** [More Information Needed]

## Citation

**BibTeX:**

\`\`\`bibtex
[More Information Needed]
\`\`\`
`

describe('a card', () => {
  test("of lerobot's template says what was filled in and nothing else", () => {
    const { card, rules } = parse(ofLeRobot)
    expect(rules).toEqual([])
    expect(card).toMatchObject({ title: null, licence: 'apache-2.0', tags: ['LeRobot', 'cubes'], citation: null })
    expect(card.more).toEqual({})
    expect(card.markdown).toMatch(/^This dataset was created[\s\S]*```$/)
  })

  test('is read whatever its line breaks, its mark of byte order and the form of its lists', () => {
    const { card } = parse(
      '\r\n---\r\npretty_name: Cubes\r\nlanguage: no\r\nlicense:\r\n- mit\r\n- cc-by-4.0\r\ntags: one tag\r\n---\r\nText\r\n',
    )
    expect(card).toEqual({
      ...nothing,
      title: 'Cubes',
      language: ['no'],
      licence: 'mit, cc-by-4.0',
      tags: ['one tag'],
      markdown: 'Text',
    })
  })

  test.each([
    ['# Dataset Card for **Cubes** on a [table](https://example.org)\n', 'Cubes on a table'],
    ['```\n# no heading\n```\n\n# Cubes #\n', 'Cubes'],
    ['## Dataset Description\n\ntext\n', null],
    ['# Dataset Card for Dataset Name\n', null],
    ['---\npretty_name: Named\n---\n# Heading\n', 'Named'],
  ])('without pretty_name is called after its first heading: %j', (text, title) => {
    expect(parse(text).card.title).toBe(title)
  })

  test('names a licence that the Hub does not list by its name, and both come back', () => {
    const text = '---\nlicense: other\nlicense_name: lab-only\nlicense_link: https://example.org/licence\n---\n'
    const { card } = parse(text)
    expect(card).toMatchObject({ licence: 'lab-only', more: { license_link: 'https://example.org/licence' } })
    expect(writeCard({ ...card, licence: 'Lab only, ask us' })).toContain(
      'license: other\nlicense_name: Lab only, ask us',
    )
    expect(writeCard({ ...card, licence: 'CC-BY-4.0' })).toContain('license: cc-by-4.0\n')
  })

  test('takes a citation from its front matter, else from the BibTeX of its text', () => {
    expect(parse('---\ncitation: Doe 2026\n---\n```bibtex\n@misc{a}\n```\n').card.citation).toBe('Doe 2026')
    expect(parse('## Citation\n\n```bibtex\n@misc{doe,\n  year={2026}\n}\n```\n').card.citation).toBe(
      '@misc{doe,\n  year={2026}\n}',
    )
  })

  test('keeps what has no meaning here, but for what follows from the data', () => {
    const { card } = parse(
      '---\nviewer: false\nsize_categories: [1K<n<10K]\ndataset_info: {features: []}\nconfigs: []\ntask_categories: [robotics, other]\nextra: {a: [1, .nan]}\n---\n',
    )
    expect(card.more).toEqual({ viewer: false, task_categories: ['other'], extra: { a: [1, null] } })
    expect(parseYaml(writeCard(card).split('---\n')[1] ?? '')).toEqual({
      task_categories: ['robotics', 'other'],
      tags: ['LeRobot'],
      viewer: false,
      extra: { a: [1, null] },
      configs: [{ config_name: 'default', data_files: 'data/*/*.parquet' }],
    })
  })

  test('that is damaged, hostile or too long is a finding, and the rest is taken', () => {
    const bomb = Array.from({ length: 9 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]`)
    const fronts = [
      'pretty_name: [unclosed',
      ['a0: &a0 [x]', ...bomb.slice(1)].join('\n'),
      `pretty_name: ${'['.repeat(30_000)}`,
      `a: ${'{b: '.repeat(40)}1${'}'.repeat(40)}`,
      'a: &a [*a]',
      `a: ${'x'.repeat(70_000)}`,
    ]
    for (const front of fronts) {
      const { card, rules } = parse(`---\n${front}\n---\nThe text\n`)
      expect([card.markdown, rules], front.slice(0, 40)).toEqual(['The text', ['card-unreadable']])
    }
    const long = parse(`---\npretty_name: ${'x'.repeat(300)}\ntags: [good, "a,b", {c: d}]\nlicense: {a: b}\n---\n`)
    expect(long.rules).toEqual(['card-shortened', 'card-shortened'])
    expect([long.card.title?.length, long.card.tags, long.card.licence]).toEqual([200, ['good'], null])
    const marked = parse('---\npretty_name: "a\\0b\\ud800c"\n---\n\u0007text')
    expect([marked.card.title, marked.card.markdown]).toEqual(['ab\ufffdc', 'text'])
    expect(parse('---\nno keys here\n---\nbelow').card.markdown).toBe('---\nno keys here\n---\nbelow')
  })

  test('in a folder is found by its usual names; one that is no text, or huge, is said', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nmp-card-'))
    try {
      const read = async (bytes: Uint8Array | string, name = 'README.md') => {
        await writeFile(join(folder, name), bytes)
        const findings = new Findings()
        const card = await readCard(await openFolder(folder), findings)
        await rm(join(folder, name))
        return { card, sentences: findings.list.map(({ sentence }) => sentence) }
      }
      expect((await read('# Cubes', 'readme.md')).card?.title).toBe('Cubes')
      expect(await read(Uint8Array.of(0xff, 0xfe, 0))).toEqual({
        card: null,
        sentences: ['README.md is not used: it is not UTF-8 text.'],
      })
      expect((await read('x'.repeat(1024 * 1024 + 1))).sentences).toEqual([
        'README.md is not used: it is larger than 1048576 bytes.',
      ])
      expect(await readCard(await openFolder(folder), new Findings())).toBeNull()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** A text as people write them, without what a reader takes away at its ends. */
const text = fc
  .array(
    fc.constantFrom('a', 'Ä', '世', '🙂', ' ', ': ', '#', '- ', '"', "'", '\n', '\\', '%', '&', '*', '1', 'no', '|'),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join('').trim())
const line = text.map((value) => value.replaceAll(/\s+/g, ' ').trim())
const orNull = <T extends string>(values: fc.Arbitrary<T>) => values.map((value) => (value === '' ? null : value))
const tag = line.map((value) => value.replaceAll(',', '')).filter((value) => value !== '')

test('what is written is read back, and written again the same', () => {
  const card = fc.record({
    title: orNull(line),
    description: orNull(text),
    licence: fc.constantFrom(null, 'mit', 'cc-by-4.0', 'mit, cc0-1.0', 'Lab only', 'other'),
    tags: fc.uniqueArray(tag, { maxLength: 4 }).map((tags) => ['LeRobot', ...tags]),
    language: fc.constantFrom([], ['no'], ['en', 'zh-Hans']),
    citation: orNull(text),
    markdown: text.map((value) => `Text ${value}`.trim()),
    workName: orNull(line),
    taskName: orNull(line),
    robotType: orNull(line),
    embodiment: orNull(line),
    robotDescriptionUri: fc.constantFrom(null, 'https://example.org/a.urdf'),
    more: fc.constantFrom<JsonObject[]>({}, { viewer: false, nested: { a: [1, 'no', null] } }),
  })
  fc.assert(
    fc.property(card, (given) => {
      const written = writeCard(given)
      const { card: read, rules } = parse(written)
      expect(rules).toEqual([])
      const { title, ...rest } = read
      const { title: givenTitle, ...givenRest } = given
      expect(rest).toEqual(givenRest)
      if (givenTitle !== null) expect(title).toBe(givenTitle)
      expect(writeCard({ ...read, title: givenTitle })).toBe(written)
    }),
  )
})
