import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding } from '@nmp/formats/finding'
import { expect } from 'vitest'
import { getFixture } from '../../../../fixtures/fixture.ts'
import { hasProc, testWhere } from '../../../../fixtures/test-where.ts'
import { prepareInProcess } from './prepare-process.ts'

testWhere(hasProc)(
  'a source that takes more processor time than its bytes are given is stopped, and told',
  async () => {
    const targetFolder = await mkdtemp(join(tmpdir(), 'nmp-prepare-'))
    const sourceFolder = join(getFixture('hdf5'), 'agilex_paths')
    const findings: Finding[] = []
    try {
      const preparing = prepareInProcess(
        { topFolder: sourceFolder, targetFolder, options: {}, maxHdf5Bytes: 1e9, maxUnpackedBytes: 1e9, cutOffs: {} },
        { baseSeconds: 0, secondsPerMegabyte: 0, sourceBytes: 5000 },
        {
          signal: new AbortController().signal,
          onUnpacking: () => undefined,
          onPhase: () => undefined,
          onProgress: () => undefined,
          onLearned: (learned) => void findings.push(...(learned.findings ?? [])),
        },
      )
      const sentence = expect.stringContaining('took more than the 0 processor seconds that 5000 bytes are given')
      await expect(preparing).rejects.toMatchObject({ code: 'parser_cpu', message: sentence })
      expect(findings).toContainEqual(expect.objectContaining({ rule: 'file-unreadable', severity: 'error', sentence }))
    } finally {
      await rm(targetFolder, { recursive: true, force: true })
    }
  },
)
