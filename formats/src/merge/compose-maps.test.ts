import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CameraFeature, type ColumnFeature, type Feature, isCamera } from '../feature.ts'
import { composeMaps } from './compose-maps.ts'
import { planMap } from './plan-map.ts'
import { mapTask, type SourceMap } from './source-map.ts'

const column = (name: string, names: string[] | null): ColumnFeature => ({
  kind: 'column',
  name,
  dtype: 'float32',
  shape: [names?.length ?? 1],
  names,
})
const camera = (name: string): CameraFeature => {
  return { kind: 'camera', name, storage: 'video', width: 8, height: 8, channels: 3, info: {} }
}
const theirs: Feature[] = [
  column('state', ['a', 'b', 'c']),
  column('action', ['c', 'a', 'b']),
  camera('one'),
  camera('two'),
]

const units = fc.constantFrom(['deg', 'rad'], ['rad', 'deg'], undefined)
/** A map of a dataset with these features: names, orders and units are changed, things are left out. */
const mapOf = (features: readonly Feature[]): fc.Arbitrary<SourceMap> =>
  fc.record({
    cameras: fc
      .tuple(...features.filter(isCamera).map(({ name }) => fc.constantFrom(name, `${name}x`, null)))
      .map((names) => Object.fromEntries(features.filter(isCamera).map(({ name }, at) => [name, names[at] ?? null]))),
    features: fc
      .tuple(
        ...features
          .flatMap((feature) => (feature.kind === 'column' ? [feature] : []))
          .map((feature) =>
            fc.record({
              feature: fc.constant(feature),
              name: fc.constantFrom(feature.name, `${feature.name}x`),
              dimensions: fc.option(fc.shuffledSubarray(feature.names as string[], { minLength: 1 }), {
                nil: undefined,
              }),
              unit: units,
              isRenamed: fc.boolean(),
            }),
          ),
      )
      .map((entries) =>
        Object.fromEntries(
          entries.map(({ feature, name, dimensions, unit, isRenamed }) => {
            const labels = dimensions ?? (feature.names as string[])
            return [
              name,
              {
                ...(name !== feature.name && { from: feature.name }),
                ...(dimensions && { dimensions }),
                ...(isRenamed && { names: labels.map((label) => `${label}x`) }),
                ...(unit && { unit: unit as [string, string] }),
              },
            ]
          }),
        ),
      ),
    tasks: fc.dictionary(fc.constantFrom('p', 'q', 'r', '*'), fc.constantFrom('p', 'q', 's')),
  })

test('one map says what two in a row say: names, order, factors and tasks', () => {
  const maps = mapOf(theirs).chain((first) => {
    const ours = planMap(theirs, first).mapped.features
    return fc.record({ first: fc.constant(first), ours: fc.constant(ours), second: mapOf(ours) })
  })
  let composedCount = 0
  fc.assert(
    fc.property(maps, ({ first, ours, second }) => {
      const composed = composeMaps({ theirs, first, ours, second })
      if ('sentence' in composed) {
        expect(composed.sentence).toMatch(/was brought to/)
        return
      }
      composedCount++
      const [before, after] = [planMap(theirs, first).mapped, planMap(ours, second).mapped]
      const once = planMap(theirs, composed.map).mapped
      const show = (features: readonly Feature[]) =>
        new Set(features.map(({ name, ...rest }) => JSON.stringify([name, rest])))
      expect(show(once.features)).toEqual(show(after.features))
      for (const last of after.planned) {
        const earlier = before.planned.find(({ name }) => name === last.source)
        const own = once.planned.find(({ name }) => name === last.name)
        expect(own?.source).toBe(earlier?.source)
        const width = (after.features.find(({ name }) => name === last.name) as Partial<ColumnFeature>).names as
          | string[]
          | undefined
        for (const at of (width ?? []).keys()) {
          const between = last.dimensions?.[at] ?? at
          expect(own?.dimensions?.[at] ?? at).toBe(earlier?.dimensions?.[between] ?? between)
          const factor = (earlier?.factors?.[between] ?? 1) * (last.factors?.[at] ?? 1)
          expect(own?.factors?.[at] ?? 1).toBeCloseTo(factor, 12)
        }
      }
      for (const text of ['p', 'q', 'r', 's', 't'])
        expect(mapTask(text, composed.map.tasks)).toBe(mapTask(mapTask(text, first.tasks), second.tasks))
    }),
    { numRuns: 300 },
  )
  expect(composedCount).toBeGreaterThan(50)
})

test('a constant goes through the second map as its rows would', () => {
  const ours = [...theirs, column('grip', ['x', 'y'])]
  const first: SourceMap = { features: { grip: { fill: [1, 2] } } }
  const second: SourceMap = { features: { hand: { from: 'grip', dimensions: ['y', 'x'], unit: ['m', 'mm'] } } }
  expect(composeMaps({ theirs, first, ours, second })).toEqual({
    map: { features: { hand: { fill: [2000, 1000] } } },
    lacking: [],
  })
})

test('what the first leaves out stays so, and is told: another source may have it', () => {
  const ours = theirs.filter(({ name }) => name !== 'state')
  const first: SourceMap = { features: { state: null } }
  expect(composeMaps({ theirs, first, ours, second: { cameras: { one: 'front' } } })).toEqual({
    map: { features: { state: null }, cameras: { one: 'front' } },
    lacking: ['state'],
  })
})
