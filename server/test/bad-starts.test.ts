import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canMountDisk, ownMounts } from '../../fixtures/small-disk.ts'
import { testWhere } from '../../fixtures/test-where.ts'

const main = join(import.meta.dirname, '..', 'src', 'main.ts')

/** The program on a data folder below /mnt, which only it sees: a disk of so many megabytes. */
const startOn = (megabytes: number, dataDir: string) =>
  spawnSync(
    'unshare',
    [
      ...ownMounts,
      'sh',
      '-c',
      `mount -t tmpfs -o size=${megabytes}m nmp /mnt && "$0" "$1"; code=$?; find /mnt; exit $code`,
      process.execPath,
      main,
    ],
    {
      env: { PATH: process.env.PATH, NMP_DATA_DIR: dataDir, NMP_PORT: '0', NMP_LOG_LEVEL: 'silent' },
      encoding: 'utf8',
    },
  )

testWhere(canMountDisk())('a full disk is refused at the start, and nothing is written to it', () => {
  const { status, stderr, stdout } = startOn(20, '/mnt/some/folder')
  expect(stderr).toBe(
    'nmp did not start. The disk of /mnt/some/folder/postgres is full: 20 MB are free, and the embedded database needs 128 MB to start. Make room, or set NMP_DATA_DIR to a folder on another disk.\n',
  )
  expect([status, stdout]).toEqual([1, '/mnt\n'])
})

test('a data folder that cannot be is told in a sentence', () => {
  const dataDir = join(main, 'below-a-file')
  expect(() =>
    execFileSync(process.execPath, [main], { env: { PATH: process.env.PATH, NMP_DATA_DIR: dataDir }, stdio: 'pipe' }),
  ).toThrow(
    /nmp did not start\. The data folder .*below-a-file\/postgres cannot be used: ENOTDIR.* Correct NMP_DATA_DIR\./,
  )
})

test('a bucket that does not answer is refused before a database is made', () => {
  const { status, stderr } = spawnSync(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NMP_DATA_DIR: join(main, 'never-looked-at'),
      NMP_S3_BUCKET: 'robots',
      NMP_S3_ENDPOINT: 'http://127.0.0.1:1',
      NMP_S3_ACCESS_KEY_ID: 'key',
      NMP_S3_SECRET_ACCESS_KEY: 'secret',
    },
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/^nmp did not start\. The bucket robots at http:\/\/127\.0\.0\.1:1 does not answer: /)
  expect(status).toBe(1)
})
