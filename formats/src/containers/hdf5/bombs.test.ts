import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import h5wasm, { ready } from 'h5wasm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { chooseCases, isLongRun } from '../../../../fixtures/test-where.ts'
import { FormatError } from '../../errors.ts'
import { openFolder } from '../../file-tree.ts'
import { inspectHdf5 } from '../../inspect/hdf5-summary.ts'
import { openDataset } from '../../layouts/index.ts'
import { createHdf5Reader, type Hdf5Reader } from './hdf5.ts'

const bombs = fileURLToPath(new URL('../../../test/golden/hdf5-bombs', import.meta.url))
const golden = fileURLToPath(new URL('../../../test/golden/hdf5', import.meta.url))
const hostile = getFixture('hdf5-hostile')
const folder = mkdtempSync(join(tmpdir(), 'hdf5-bombs-'))
const limits = { deadlineSeconds: 30, memoryBytes: 600 * 1024 ** 2 }
const secret = 'the secret of another tenant'

beforeAll(() => ready)
afterAll(() => rmSync(folder, { recursive: true }))

/** Everything a reader can be asked about a file; the refusal's code, or what was read. */
async function readEverything(reader: Hdf5Reader, path: string): Promise<{ code?: string; read: string }> {
  let read = ''
  let code: string | undefined
  try {
    const tree = await reader.describe(path)
    read += JSON.stringify(tree.nodes)
    for (const node of tree.nodes) {
      if (node.kind !== 'dataset' || node.shape.includes(0)) continue
      const end = Math.min(node.shape[0] ?? 1, 8)
      try {
        const rows = await reader.readRows(path, node, 0, end)
        read += Buffer.from(
          rows.form === 'packed' ? rows.bytes.subarray(0, 65536) : Buffer.concat(rows.items),
        ).toString('latin1')
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        code = error.code
      }
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    expect(error.message).toMatch(/\.$/)
    code = error.code
  }
  return { read, ...(code !== undefined && { code }) }
}

/** A dataset or a refusal in words; anything else is a fault of ours. */
async function openOrRefuse(path: string): Promise<string> {
  try {
    await using dataset = await openDataset(await openFolder(path))
    return dataset.origin.layout
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    expect(error.message).toMatch(/\.$/)
    return error.code
  }
}

describe('files that reach for other files', () => {
  for (const name of [
    'external-storage',
    'external-storage-absolute',
    'external-link',
    'external-link-in-path',
    'virtual',
  ]) {
    test(`${name} is refused, and no byte of the other file comes out`, async () => {
      await using reader = createHdf5Reader({ limits })
      const { code, read } = await readEverything(reader, join(bombs, `${name}.h5`))
      expect(code).toBe('path_refused')
      expect(read).not.toContain(secret)
      expect(read).not.toContain('root:')
      const summary = await inspectHdf5(join(bombs, `${name}.h5`))
      expect(summary.reason).toMatch(/another file|other files/)
    })
  }

  test('paths of pictures that lead out of the upload are not read', async () => {
    writeFileSync(join(folder, 'secret.jpg'), secret)
    await using dataset = await openDataset(await openFolder(join(bombs, 'image-path.h5')))
    expect(dataset.features.map(({ name }) => name)).not.toContain('observation.images.front')
  })
})

describe('files that are larger than they look', () => {
  test('a lattice of 2^40 paths and rings of links end, each object seen once', async () => {
    await using reader = createHdf5Reader({ limits })
    expect((await reader.describe(join(bombs, 'lattice.h5'))).nodes.length).toBeLessThan(100)
    expect((await reader.describe(join(bombs, 'ring.h5'))).nodes.length).toBeLessThan(10)
  })

  test('groups nested too deep are refused', async () => {
    await using reader = createHdf5Reader({ limits })
    await expect(reader.describe(join(bombs, 'deep.h5'))).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('chunks and shapes that cannot be held are never read', async () => {
    await using reader = createHdf5Reader({ limits })
    const chunk = await reader.describe(join(bombs, 'chunk-bomb.h5'))
    expect(chunk.findDataset('/big')?.refusal).toMatch(/chunks have 268435456 bytes/)
    expect(await readEverything(reader, join(bombs, 'chunk-bomb.h5'))).toMatchObject({ code: 'unsupported' })
    expect(await readEverything(reader, join(bombs, 'shape-bomb.h5'))).toMatchObject({ code: 'limit_exceeded' })
    expect(await readEverything(reader, join(bombs, 'shape-bomb-2-60.h5'))).toMatchObject({ code: 'limit_exceeded' })
    expect(await readEverything(reader, join(bombs, 'unwritten.h5'))).toMatchObject({ code: 'unsupported' })
  })

  const plugins = ['bzip2', 'lz4', 'lz4-gigabyte', 'bitshuffle', 'zstd', 'blosc', 'blosc2', 'lzf']
  const filters = ['gzip', 'scaleoffset', 'scaleoffset-gigabyte', 'nbit', 'szip', ...plugins]
  test.each(filters)('a stored chunk of %s that becomes, or says that it becomes, gigabytes', async (filter) => {
    await using reader = createHdf5Reader({ limits })
    const { code } = await readEverything(reader, join(bombs, `filter-${filter}.h5`))
    expect(code).toMatch(/^(container_invalid|limit_exceeded|parser_memory|source_file_crashes_parser)$/)
    expect(await readEverything(reader, join(bombs, 'filter-none.h5'))).not.toHaveProperty('code')
  })

  test('very many links: counted up to the bound, then refused', async () => {
    const path = await writeFile('links.h5', (file) => {
      file.create_dataset({ name: 'action', data: new Float64Array(4) })
      for (let link = 0; link < 20_000; link++) file.create_hard_link('/action', `link_${link}`)
    })
    await using reader = createHdf5Reader({ limits, maxLinks: 5000 })
    const tree = await reader.describe(path)
    expect(tree.isTruncated).toBe(true)
    expect(tree.nodes).toHaveLength(5001)
  })

  test('attributes of megabytes do not come along, and are not read beyond their bound', async () => {
    const path = await writeFile('attributes.h5', (file) => {
      file.create_attribute('huge', new Float64Array(1_000_000))
      file.create_attribute('text', 'x'.repeat(60_000))
      file.create_attribute('small', 7)
    })
    await using reader = createHdf5Reader({ limits })
    const tree = await reader.describe(path)
    expect(tree.find('/')?.attrs).toEqual({ small: 7 })
    expect(tree.find('/')?.largeAttrs).toEqual(expect.arrayContaining(['huge', 'text']))
    expect(String(await reader.readAttribute(path, '/', 'text'))).toHaveLength(60_000)
    await expect(reader.readAttribute(path, '/', 'huge')).rejects.toMatchObject({ code: 'limit_exceeded' })
  })

  test('a walk past its deadline is given up, and the reader goes on with the next file', async () => {
    await using reader = createHdf5Reader({ limits: { ...limits, deadlineSeconds: 0.5 } })
    const path = join(folder, 'links.h5')
    await expect(reader.describe(path)).rejects.toMatchObject({ code: 'parser_deadline' })
    await using patient = createHdf5Reader({ limits })
    expect((await patient.describe(join(bombs, 'ring.h5'))).nodes.length).toBeGreaterThan(1)
  })

  test('memory past its bound ends the child, not the parent', async () => {
    await using reader = createHdf5Reader({ limits: { ...limits, memoryBytes: 64 * 1024 ** 2 } })
    await expect(reader.describe(join(folder, 'links.h5'))).rejects.toMatchObject({
      code: expect.stringMatching(/parser_memory|source_file_crashes_parser/),
    })
  })
})

/** Each cut costs a process. */
const cutBytes = isLongRun ? 4096 : 16_384

test(`a file cut off at every ${cutBytes} bytes is refused in words`, async () => {
  const path = join(folder, 'cut.hdf5')
  const whole = readFileSync(join(golden, 'aloha/source/episode_0.hdf5'))
  await using reader = createHdf5Reader({ limits })
  for (let size = 0; size < whole.length; size += cutBytes) {
    writeFileSync(path, whole)
    truncateSync(path, size)
    const { code, read } = await readEverything(reader, path)
    expect({ size, code, read }).toEqual({ size, code: 'container_invalid', read: '' })
  }
}, 120_000)

describe('public reproducers of libhdf5 faults', () => {
  test('each ends in a dataset or a refusal, and the reader lives on', async () => {
    const answers: Record<string, string> = {}
    const files = chooseCases(readdirSync(hostile).toSorted(), (_, index) => index % 4 === 0)
    await using reader = createHdf5Reader({ limits })
    for (const name of files) {
      const path = join(hostile, name)
      const { code = 'read' } = await readEverything(reader, path)
      answers[name] = code
    }
    expect(files.length).toBeGreaterThan(isLongRun ? 40 : 10)
    const known =
      /^(read|container_invalid|limit_exceeded|unsupported|path_refused|source_file_crashes_parser|parser_\w+)$/
    expect(Object.entries(answers).filter(([, code]) => !known.test(code))).toEqual([])
  }, 180_000)

  test('as an import, a few of them', async () => {
    for (const name of ['truncated_96_bytes.hdf5', 'cve-2025-44905.h5', 'cve-2018-11205.h5']) {
      expect(await openOrRefuse(join(hostile, name))).toMatch(/^(generic-hdf5|no_episodes|container_invalid)$/)
    }
  }, 60_000)
})

/** Written with h5wasm in memory: files too large to be kept in the repository. */
async function writeFile(name: string, fill: (file: InstanceType<typeof h5wasm.File>) => void): Promise<string> {
  const module = await ready
  const file = new h5wasm.File(`/${name}`, 'w', { libver: 'latest' })
  fill(file)
  file.close()
  const path = join(folder, name)
  writeFileSync(path, module.FS.readFile(`/${name}`))
  module.FS.unlink(`/${name}`)
  return path
}
