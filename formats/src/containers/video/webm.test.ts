import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawNumberedPictures, readPictureNumber } from '../../../test/numbered-picture.ts'
import { openFile } from '../../bytes.ts'
import { openCodec } from '../codec/codec.ts'
import { openVideo } from './video.ts'
import { copyToWebm } from './webm.ts'

test('packets of an AV1 file are copied into WebM, frame by frame, the same bytes each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nmp-webm-'))
  await using codec = openCodec()
  try {
    const [mp4, webm, again, h264] = ['a.mp4', 'a.webm', 'b.webm', 'c.mp4'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
      string,
    ]
    const frames = () => drawNumberedPictures(96, 64, 31)
    await codec.encode({ path: mp4, width: 96, height: 64, settings: { codec: 'av1', fps: 30 }, frames })
    expect(await copyToWebm(mp4, webm)).toBe((await readFile(webm)).length)
    await copyToWebm(mp4, again)
    expect((await readFile(webm)).equals(await readFile(again))).toBe(true)
    await using source = await openFile(webm)
    await using video = await openVideo(source)
    expect(video.facts).toMatchObject({
      container: 'webm',
      codec: 'av1',
      frameCount: 31,
      width: 96,
      height: 64,
      fps: 30,
    })
    const numbers: number[] = []
    for await (const picture of codec.decode({ video })) numbers.push(readPictureNumber(picture))
    expect(numbers).toEqual(Array.from({ length: 31 }, (_, index) => index))
    await codec.encode({ path: h264, width: 96, height: 64, settings: { codec: 'h264', fps: 30 }, frames })
    await expect(copyToWebm(h264, join(folder, 'd.webm'))).rejects.toThrow('no video that WebM can')
  } finally {
    await rm(folder, { recursive: true })
  }
})
