import { checkImports, type Round } from '../consistency/service.ts'
import { listActiveJobs } from '../jobs/statements/list-active-jobs.ts'
import { createLog } from '../log.ts'
import { checkStore, type StoreCheck } from '../storage/care/check.ts'
import { guardStorage } from '../storage/care/guarded.ts'
import { describeStorage } from '../storage/describe-storage.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { AdminCommand } from './command.ts'

export const check: AdminCommand = {
  name: ['check'],
  positionals: [],
  options: { deep: { type: 'boolean', default: false }, 'second-look': { type: 'string', default: '60' } },
  optionUsage: ['[--deep]', '[--second-look 60]'],
  about:
    'Check every stored object against the records, with --deep byte by byte, and update the status of each import. What is bad is quarantined: not given out until good bytes come in. Exits with 1 if something is wrong.',
  async run({ db, config }, _words, { deep, 'second-look': wait }) {
    const log = createLog(config.NMP_LOG_LEVEL)
    const storage = guardStorage(await openStorage(describeStorage(config, '', '')), {
      db,
      log,
      count: () => {},
      onHealed: async () => {},
    })
    const secondLookSeconds = Math.max(0, Number(wait) || 0)
    const level = deep === true ? 'content' : 'presence'
    try {
      const round = await checkImports({ db, storage, log }, { level, secondLookSeconds })
      const store = await checkStore(db, storage, {
        level,
        secondLookSeconds,
        listActiveJobs: (ids) => listActiveJobs(db, ids),
      })
      if (!store.stopped) for (const finding of store.findings) await storage.quarantine(finding)
      const report = renderReport(round, store)
      if (round.faulty.length > 0 || round.isStopped || store.findings.length > 0 || store.stopped)
        throw new Error(report)
      return report
    } finally {
      await storage.close()
    }
  },
}

const shownLines = 50

const renderReport = (round: Round, store: StoreCheck): string =>
  [
    `imports: ${round.examined} checked, ${round.faulty.length} wrong, ${round.unsureCount} undecided`,
    ...round.faulty
      .slice(0, shownLines)
      .flatMap(({ id, status, findings }) => [
        `  ${id} ${status}`,
        ...findings.slice(0, 5).map(({ path, sentence }) => `    ${path}: ${sentence}`),
      ]),
    `contents: ${store.examinedBlobs} checked, ${store.findings.length} wrong`,
    ...store.findings.slice(0, shownLines).map(({ fault, sha256, sentence }) => `  ${sha256} ${fault}: ${sentence}`),
    `objects without a record: ${store.orphanKeys.length} of ${store.examinedObjects}, which housekeeping removes`,
    ...(round.isStopped || store.stopped
      ? ['Stopped early: too much seems wrong at once. Check the storage itself first; no import was marked.']
      : []),
  ].join('\n')
