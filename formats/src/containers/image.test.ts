import { expect, test } from 'vitest'
import { testWhere } from '../../../fixtures/test-where.ts'
import { drawNumberedPicture } from '../../test/numbered-picture.ts'
import { findChildrenOn } from '../../test/own-children.ts'
import { writePng } from '../../test/picture-bombs.ts'
import { decodeDepthImage, decodeImage, encodeJpeg, encodePng, probeImage, reshapePixels } from './image.ts'

const picture = { width: 64, height: 48, channels: 3 as const, data: drawNumberedPicture(64, 48, 1234) }

test('PNG keeps every pixel, and the same pixels give the same bytes', async () => {
  const png = await encodePng(picture)
  expect(await probeImage(png)).toEqual({ format: 'png', width: 64, height: 48, channels: 3, bitDepth: 8 })
  expect(await decodeImage(png)).toEqual(picture)
  expect(await encodePng(picture)).toEqual(png)
})

testWhere(process.platform === 'linux')('pictures are decoded by a process of the sandbox', async () => {
  await decodeImage(await encodePng(picture))
  const children = findChildrenOn('decoding-entry.ts')
  expect(children.length).toBeGreaterThan(0)
  for (const status of children) expect(status).toMatch(/^NoNewPrivs:\s+1\nSeccomp:\s+2$/m)
})

test('grey pictures become three equal channels', async () => {
  const grey = { width: 4, height: 2, channels: 1 as const, data: Uint8Array.of(0, 50, 100, 150, 200, 250, 7, 8) }
  const { data, channels } = await decodeImage(await encodePng(grey))
  expect(channels).toBe(3)
  expect(Array.from(data)).toEqual(Array.from(grey.data).flatMap((value) => [value, value, value]))
})

test('depth keeps 16 bits', async () => {
  const depth = { width: 5, height: 3, data: Uint16Array.from({ length: 15 }, (_, index) => index * 4369) }
  const png = await encodePng(depth)
  expect(await probeImage(png)).toMatchObject({ channels: 1, bitDepth: 16 })
  expect(await decodeDepthImage(png)).toEqual(depth)
  await expect(decodeDepthImage(await encodePng(picture))).rejects.toMatchObject({ code: 'container_invalid' })
})

test('JPEG stays close', async () => {
  const { data } = await decodeImage(await encodeJpeg(picture, { quality: 95 }))
  const error = data.reduce((sum, value, index) => sum + Math.abs(value - (picture.data[index] ?? 0)), 0) / data.length
  expect(error).toBeLessThan(8)
})

test.each(['fit', 'fill', 'stretch'] as const)('crop and resize: %s', async (mode) => {
  const crop = { left: 0, top: 8, width: 32, height: 32 }
  const shaped = await reshapePixels(picture, { crop, resize: { width: 64, height: 32, mode } })
  expect(shaped).toMatchObject({ width: 64, height: 32, channels: 3 })
  const isPadded = shaped.data[0] === 0 && shaped.data[1] === 0 && shaped.data[2] === 0
  expect(isPadded).toBe(mode === 'fit')
})

test('a picture that is only to be smaller is what it is when it is decoded whole first', async () => {
  const png = await encodePng(picture)
  const small = await decodeImage(png, { maxWidth: 16 })
  expect(small).toMatchObject({ width: 16, height: 12, channels: 3 })
  const whole = await reshapePixels(picture, { resize: { width: 16, height: 12, mode: 'stretch' } })
  const apart = small.data.map((value, index) => Math.abs(value - (whole.data[index] ?? 0)))
  expect(Math.max(...apart)).toBeLessThanOrEqual(2)
  expect(await decodeImage(png, { maxWidth: 640 })).toEqual(picture)
})

test('of many large pictures at a time each comes as small as it is wanted, and a small one beside them', async () => {
  const large = writePng({ width: 5000, height: 5000 })
  const jobs = Array.from({ length: 4 }, () => decodeImage(large, { maxWidth: 1280 }))
  expect(await decodeImage(await encodePng(picture))).toEqual(picture)
  for (const { width, height, data } of await Promise.all(jobs)) {
    expect([width, height, data.length]).toEqual([1280, 1280, 1280 * 1280 * 3])
    expect(data.every((value) => value === 0)).toBe(true)
  }
})

const svg = new TextEncoder().encode(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/hostname"/></svg>',
)

test('damaged, disguised and oversized pictures are refused in a sentence', async () => {
  const png = await encodePng(picture)
  const jpeg = await encodeJpeg(picture)
  const huge = Buffer.from(png)
  huge.writeUInt32BE(60_000, 16)
  huge.writeUInt32BE(60_000, 20)
  for (const bytes of [
    svg,
    new Uint8Array(),
    png.subarray(0, png.length / 2),
    jpeg.subarray(0, jpeg.length / 2),
    huge,
  ]) {
    await expect(decodeImage(bytes)).rejects.toMatchObject({ name: 'FormatError' })
  }
})

test('a picture of more than 50 million pixels is refused before it is decoded', async () => {
  const wide = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
  const rest = Buffer.alloc(17)
  rest.writeUInt32BE(10_000, 0)
  rest.writeUInt32BE(10_000, 4)
  rest.set([8, 2, 0, 0, 0], 8)
  await expect(probeImage(Buffer.concat([wide, rest]))).rejects.toMatchObject({ name: 'FormatError' })
})
