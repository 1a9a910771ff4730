import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { waitFor } from './processes.ts'
import { cleanUp, startProgram } from './program.ts'

afterAll(cleanUp)

const told = ['deploy/prometheus/alerts.yml', 'deploy/grafana/nmp.json']

test('every number that the alerts and the dashboard look at is one that the program tells', async () => {
  const program = await startProgram()
  const readMetrics = async (): Promise<string> => (await program.call('GET', '/metrics')).body
  await waitFor('the worker', async () => (await readMetrics()).includes('\nnmp_workers 1\n'))
  await program.call('GET', '/hf/api/datasets')
  const metrics = await readMetrics()
  const known = new Set(Array.from(metrics.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name as string))
  for (const path of told) {
    const text = await readFile(path, 'utf8')
    const names = Array.from(text.matchAll(/\b(?:nmp|process)_\w+/g), ([name]) => name.replace(/_bucket$/, ''))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !known.has(name))).toEqual([])
  }
  expect(metrics).toMatch(/^nmp_queue_oldest_due_seconds 0$/m)
  expect(metrics).toMatch(/^nmp_takes_writes 1$/m)
  expect(await program.stop()).toBe(0)
})
