import { beforeEach, expect, test, vi } from 'vitest'
import { guessKind, readDrop, readPicked, suggestSlug } from '../parts/dropped-files.ts'
import { nameRule } from './finding-titles.ts'
import { listUnfinished, nameUpload, uploadMemory } from './upload-memory.ts'

const kept = new Map<string, string>()
vi.stubGlobal('localStorage', {
  get length() {
    return kept.size
  },
  key: (at: number) => [...kept.keys()][at] ?? null,
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
})
beforeEach(() => {
  kept.clear()
  vi.useRealTimers()
})

const named = (name: string): File => new File(['abc'], name, { lastModified: 1 })
const key = nameUpload('lab', 'arm', 'set/a.h5', named('a.h5'))

test('an upload that was begun is found again by file and project, until an import takes it', async () => {
  await uploadMemory.set(key, '/api/v1/uploads/1')
  await uploadMemory.set(nameUpload('lab', 'other', 'b.h5', named('b.h5')), '/api/v1/uploads/2')
  expect(uploadMemory.get(key)).toBe('/api/v1/uploads/1')
  expect(listUnfinished('lab', 'arm')).toEqual([{ key, path: 'set/a.h5', sizeBytes: 3 }])
  await uploadMemory.delete(key)
  expect(uploadMemory.get(key)).toBeUndefined()
  expect(listUnfinished('lab', 'arm')).toEqual([])
})

test('a note that is older than the upload on the server, or that nobody can read, is none', async () => {
  vi.useFakeTimers({ now: 0 })
  await uploadMemory.set(key, '/api/v1/uploads/1')
  vi.setSystemTime(3 * 86_400_000)
  expect(uploadMemory.get(key)).toBeUndefined()
  kept.set(`nmp.upload.${key}`, '{')
  expect(uploadMemory.get(key)).toBeUndefined()
  expect(listUnfinished('lab', 'arm')).toEqual([])
})

const fileEntry = (name: string) => ({ isFile: true, name, file: (take: (file: File) => void) => take(named(name)) })
/** A browser hands the files of a folder over in portions, and ends with an empty one. */
const folderEntry = (name: string, ...portions: object[][]) => ({
  isFile: false,
  name,
  createReader: () => {
    const left = [...portions]
    return { readEntries: (take: (entries: object[]) => void) => take(left.shift() ?? []) }
  },
})

test('a dropped folder keeps its structure, and hidden files stay at home', async () => {
  const set = folderEntry(
    'set',
    [fileEntry('.DS_Store'), folderEntry('meta', [fileEntry('info.json')])],
    [fileEntry('a')],
  )
  const transfer = { items: [{ webkitGetAsEntry: () => set }], files: [] } as unknown as DataTransfer
  expect((await readDrop(transfer)).map(({ path }) => path)).toEqual(['set/meta/info.json', 'set/a'])
  const plain = { items: [], files: [named('a.h5')] } as unknown as DataTransfer
  expect((await readDrop(plain)).map(({ path }) => path)).toEqual(['a.h5'])
  const picked = [named('a.h5'), Object.assign(named('b'), { webkitRelativePath: 'set/.git/b' })] as unknown as FileList
  expect(readPicked(picked).map(({ path }) => path)).toEqual(['a.h5'])
})

test('kind and name are guessed from the files', () => {
  const of = (path: string) => [{ path, file: named(path) }]
  expect(guessKind(of('x/demo.HDF5'))).toBe('hdf5')
  expect(guessKind(of('set.tar'))).toBe('lerobot')
  expect(suggestSlug('My Lift (v2).hdf5')).toBe('my-lift-v2')
  expect(suggestSlug('x'.repeat(100))).toHaveLength(80)
})

test('a rule has a title, or its own words', () => {
  expect(nameRule('video-missing')).toBe('Video missing')
  expect(nameRule('some-new-rule')).toBe('some new rule')
})
