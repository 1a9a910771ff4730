import { File, FS, ready } from 'h5wasm'

/** A demonstration as robosuite and robomimic write it, small: what the file says of the environment is given. */
export async function writeRobosuiteFile(given: {
  env_args: object
  attributes?: Record<string, string>
}): Promise<Buffer> {
  await ready
  const name = `robosuite-${Math.random()}.hdf5`
  const file = new File(name, 'w')
  const data = file.create_group('data')
  data.create_attribute('env_args', JSON.stringify(given.env_args))
  for (const [key, value] of Object.entries(given.attributes ?? {})) data.create_attribute(key, value)
  const demo = data.create_group('demo_0')
  const column = (width: number) => Float32Array.from({ length: 8 * width }, (_, at) => Math.sin(at))
  demo.create_dataset({ name: 'actions', data: column(7), shape: [8, 7] })
  demo.create_group('obs').create_dataset({ name: 'robot0_eef_pos', data: column(3), shape: [8, 3] })
  file.close()
  const bytes = Buffer.from(FS?.readFile(name) ?? [])
  FS?.unlink(name)
  return bytes
}
