import { describe, expect, test } from 'vitest'
import {
  chooseCamera,
  chooseColumn,
  findCamera,
  findColumn,
  findFactor,
  leaveOutCamera,
  listApart,
  listPicked,
  listSpareCameras,
  listSpareColumns,
  listUnits,
  type MergedColumn,
  setColumn,
  setTask,
  writeColumn,
} from './source-map.ts'

const camera = (name: string) => ({ name, source: name, width: 640, height: 480 })
const column = (name: string, labels: string[], max = 1): MergedColumn => ({
  ...{ name, source: name, dtype: 'float32', shape: [labels.length], labels },
  min: labels.map(() => -max),
  max: labels.map(() => max),
})

describe('cameras of a map', () => {
  const ours = [camera('top'), camera('wrist')]
  const theirs = [camera('above'), camera('hand'), camera('side')]

  test('one that is chosen for another place changes places with the one that was there', () => {
    const map = { cameras: { above: 'top', hand: 'wrist', side: null } }
    const swapped = chooseCamera(map, theirs, ours, 'top', 'hand')
    expect(swapped).toEqual({ cameras: { above: 'wrist', hand: 'top', side: null } })
    // One that had no place leaves the other without: it is said to be left out, and not forgotten.
    expect(chooseCamera(map, theirs, ours, 'top', 'side').cameras).toEqual({ above: null, hand: 'wrist', side: 'top' })
  })

  test('what has no place is listed until it is said to be left out', () => {
    const map = { cameras: { above: 'top', hand: 'wrist' } }
    expect(listSpareCameras(map, theirs, ours)).toEqual([{ camera: camera('side'), isLeftOut: false }])
    expect(listSpareCameras(leaveOutCamera(map, 'side'), theirs, ours)).toMatchObject([{ isLeftOut: true }])
    expect(findCamera(map, theirs, 'wrist')?.name).toBe('hand')
  })

  test('under its own name nothing is said of it', () => {
    expect(chooseCamera({ cameras: { top: null } }, [camera('top')], ours, 'top', 'top')).toEqual({})
  })
})

describe('columns of a map', () => {
  const [ours, theirs] = [column('action', ['a', 'b', 'c']), column('command', ['c', 'a', 'b'], 60)]

  test('one of theirs stands for ours, and for nothing else', () => {
    const map = chooseColumn({}, 'action', 'command')
    expect(map).toEqual({ features: { action: { from: 'command' } } })
    expect(findColumn(map, [theirs], 'action')).toMatchObject({ kind: 'from', column: { name: 'command' } })
    expect(listSpareColumns(map, [theirs], [ours])).toEqual([])
    expect(listSpareColumns({}, [theirs], [ours])).toMatchObject([{ isLeftOut: false }])
    expect(findColumn({}, [theirs], 'action').kind).toBe('missing')
    expect(findColumn(setColumn(map, 'action', null), [theirs], 'action').kind).toBe('out')
  })

  test('dimensions in another order are not guessed: nobody has said which they are', () => {
    expect(listPicked(ours, theirs, {})).toEqual([undefined, undefined, undefined])
    expect(listPicked(ours, column('command', ['a', 'b', 'c']), {})).toEqual(['a', 'b', 'c'])
  })

  test('what is said of a column is read back, and what changes nothing is not said', () => {
    const unit: [string, string] = ['deg', 'rad']
    const entry = writeColumn(ours, theirs, ['a', 'b', 'c'], [unit, unit, unit])
    expect(entry).toEqual({ from: 'command', dimensions: ['a', 'b', 'c'], unit })
    expect(listPicked(ours, theirs, entry ?? {})).toEqual(['a', 'b', 'c'])
    expect(listUnits(ours, entry ?? {})).toEqual([unit, unit, unit])
    const renamed = writeColumn(ours, column('action', ['x', 'y', 'z']), ['z', 'y', 'x'], [unit, undefined, undefined])
    expect(renamed).toEqual({ dimensions: ['z', 'y', 'x'], names: ['a', 'b', 'c'], unit: { a: unit } })
    expect(writeColumn(ours, ours, ['a', 'b', 'c'], [undefined, undefined, undefined])).toBeUndefined()
  })

  test('ranges without a number in common are named, in the unit that they are brought to', () => {
    const far = { ...theirs, min: [50, 50, 50] }
    const map = { features: { action: { from: 'command', dimensions: ['a', 'b', 'c'] } } }
    expect(listApart(map, [ours], [far])).toHaveLength(3)
    const turned = { features: { action: { ...map.features.action, unit: ['deg', 'rad'] } } }
    expect(listApart(turned, [ours], [far])).toEqual([])
    expect(findFactor(['deg', 'rad'])).toBeCloseTo(Math.PI / 180, 15)
    expect(findFactor(['m', 'mm'])).toBe(1000)
  })
})

test('a task text that is emptied keeps its own', () => {
  const map = setTask({}, 'Pick.', 'pick')
  expect(map).toEqual({ tasks: { 'Pick.': 'pick' } })
  expect(setTask(map, 'Pick.', '')).toEqual({})
})
