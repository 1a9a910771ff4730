import { expect, test } from 'vitest'
import { listUnknownSettings, loadConfig } from './config.ts'

test('all problems are reported at once, with the setting and what it takes', () => {
  const load = () =>
    loadConfig({ NMP_PORT: '70000', NMP_CHANNEL: 'beta', NMP_PUBLIC_URL: 'example.org', NMP_DEMO: 'maybe' })
  for (const name of ['NMP_PORT', 'NMP_CHANNEL', 'NMP_PUBLIC_URL', 'NMP_DEMO']) expect(load).toThrow(name)
})

test('an empty value is the default, and the config cannot be changed', () => {
  const config = loadConfig({ NMP_HOST: '', NMP_PUBLIC_URL: 'https://nmp.example.org/' })
  expect([config.NMP_HOST, config.NMP_PUBLIC_URL]).toEqual(['127.0.0.1', 'https://nmp.example.org'])
  expect(Object.isFrozen(config)).toBe(true)
})

test('a mistyped setting is told', () => {
  expect(listUnknownSettings({ NMP_PROT: '1', NMP_PORT: '1', NMP_TEST_X: '1', PATH: '' })).toEqual(['NMP_PROT'])
})
