import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { describeMissingCodec } from './library.ts'

/** NOTICE and docs/media.md say under which licence the library comes: what it was configured with decides that. */
test('the FFmpeg of the codec library is the one that NOTICE describes', () => {
  const script = "process.stdout.write((await import('node-av')).getFFmpegInfo().configuration)"
  const options = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).split(' ')
  for (const option of ['--enable-gpl', '--enable-version3', '--enable-libfdk-aac', '--enable-libx264'])
    expect(options).toContain(option)
  expect(options).not.toContain('--enable-nonfree')
})

test('a library that is not there, and one that does not load, are told apart', () => {
  expect(describeMissingCodec()).toMatchObject({
    code: 'codec_missing',
    message: expect.stringContaining('node-av is not installed. The operator'),
  })
  const broken = describeMissingCodec(new Error("/lib/libm.so.6: version `GLIBC_2.29' not found\nat Module"))
  expect(broken.message).toContain(
    "node-av cannot be loaded: /lib/libm.so.6: version `GLIBC_2.29' not found. The operator",
  )
})
