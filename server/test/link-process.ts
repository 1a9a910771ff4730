import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { linkLibraries } from '../src/db/binaries.ts'

/** A program that links the libraries of a PostgreSQL package and runs it, as whoever it is started as. */
const [packageFolder = '', linkFolder = ''] = process.argv.slice(2)
const env = await linkLibraries(packageFolder, linkFolder)
const run = (program: string) =>
  execFileSync(join(packageFolder, 'native', 'bin', program), ['-V'], { env, encoding: 'utf8' })
process.stdout.write(`${Object.keys(env)} ${run('postgres')}${run('initdb')}`)
