import { File, FS, ready } from 'h5wasm'

/** An episode as ACT writes it, with a camera of encoded pictures, one in each row and zeros behind it. */
export async function writePictureEpisode(pictures: readonly Buffer[]): Promise<Buffer> {
  await ready
  const name = `pictures-${Math.random()}.hdf5`
  const file = new File(name, 'w')
  const numbers = Float32Array.from({ length: pictures.length * 2 }, (_, at) => at)
  file.create_dataset({ name: 'action', data: numbers, shape: [pictures.length, 2] })
  const observations = file.create_group('observations')
  observations.create_dataset({ name: 'qpos', data: numbers, shape: [pictures.length, 2] })
  const width = Math.max(...pictures.map(({ length }) => length))
  const rows = Buffer.alloc(width * pictures.length)
  pictures.forEach((picture, row) => void picture.copy(rows, row * width))
  const images = observations.create_group('images')
  images.create_dataset({ name: 'top', data: new Uint8Array(rows), shape: [pictures.length, width] })
  file.close()
  const bytes = Buffer.from(FS?.readFile(name) ?? [])
  FS?.unlink(name)
  return bytes
}
