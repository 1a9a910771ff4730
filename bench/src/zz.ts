import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseHere } from '../../formats/src/containers/child/confinement.ts'
import { prepareRevision } from '../../server/src/imports/prepare/prepare.ts'

if (process.argv[3]) parseHere()
const targetFolder = await mkdtemp(join(tmpdir(), 'zzp-'))
await mkdir(join(targetFolder, 'x'))
const began = performance.now()
const t = () => ((performance.now() - began) / 1000).toFixed(2)
let last = ''
await prepareRevision(
  { topFolder: process.argv[2] as string, targetFolder, options: {}, maxHdf5Bytes: 1e12, maxUnpackedBytes: 1e12, cutOffs: {} } as never,
  {
    signal: new AbortController().signal,
    onPhase: (phase) => console.log(t(), phase, process.cpuUsage().user / 1e6),
    onProgress: (_d, _t, m) => { if (m && m.replaceAll(/\d+/g, '') !== last) { last = m.replaceAll(/\d+/g, ''); console.log(t(), m) } },
    onUnpacking: () => {}, onReading: () => {}, onLearned: () => {},
  },
)
console.log(t(), 'done', process.cpuUsage())
