/** What a process that reads foreign files may see and do, as the plan that its launcher carries out (`launch.cjs`). */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSyscallFilter, filterMarks } from './syscall-filter.ts'

/** What a child needs beyond Node, its packages and our own code. */
export interface Sandbox {
  /** Files, and folders with all below them, that it may read. */
  reads: readonly string[]
  /** Folders in which it may also make, write and remove files and folders. */
  writes: readonly string[]
  /** It may start children, each of which is at least as bound; others can neither fork nor execute. */
  startsChildren?: boolean
}

export interface ProcessBounds {
  /** Resident memory, as far as the system shows it; what it may allocate is a gigabyte more. */
  memoryBytes: number
  /** The largest file that it may write. */
  fileBytes: number
  /** Processor seconds of its whole life. */
  cpuSeconds: number
  openFiles: number
}

/** Rights of Landlock, by the bits of `linux/landlock.h`. */
const right = {
  execute: 1 << 0,
  writeFile: 1 << 1,
  readFile: 1 << 2,
  readFolder: 1 << 3,
  removeFolder: 1 << 4,
  removeFile: 1 << 5,
  makeFolder: 1 << 7,
  makeFile: 1 << 8,
  refer: 1 << 13,
  truncate: 1 << 14,
}
const read = right.readFile | right.readFolder
/** No links, pipes, sockets and devices: whoever takes over what was written finds files and folders only. */
const write =
  read |
  right.writeFile |
  right.removeFolder |
  right.removeFile |
  right.makeFolder |
  right.makeFile |
  right.refer |
  right.truncate

/** What programs and their libraries read of a system: nothing in it is anybody's secret. */
const systemPlaces = [
  ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/etc/ld.so.cache', '/etc/ssl/openssl.cnf'],
  ...['/etc/localtime', '/usr/share/zoneinfo', '/dev/urandom'],
  // DuckDB ends the process where it cannot read its own `cgroup` in /proc/self.
  ...['/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/sys/vm/overcommit_memory', '/proc/self'],
  ...['/sys/devices/system/cpu', '/sys/fs/cgroup'],
]
/** They start a program; `execve` opens them beside it. NixOS has them, and Node itself, in folders of their own. */
const programLoaders = [
  ...['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1'],
  ...['/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1', '/nix/store'],
]

const [cpuLimit, fileLimit, dataLimit, coreLimit, descriptorLimit] = [0, 1, 2, 4, 7]
const formatsFolder = fileURLToPath(new URL('../../../', import.meta.url))

/** Without threads it is a fifth cheaper to start; what it becomes has them again. */
const launcher = [process.execPath, '--single-threaded', fileURLToPath(new URL('./launch.cjs', import.meta.url))]

export interface Launch {
  command: readonly string[]
  /** Descriptor 3 is Node's channel to the parent. */
  hasChannel: boolean
}

/** The command that starts `launch.command` in the sandbox. */
export function wrapCommand(entry: URL, bounds: ProcessBounds, sandbox: Sandbox, launch: Launch): string[] {
  if (process.platform !== 'linux') return wrapInLimits(bounds, launch.command)
  const rules: [string, number][] = [
    ...[...systemPlaces, ...findCode(entry), ...sandbox.reads].map((path): [string, number] => [path, read]),
    ...[process.execPath, ...programLoaders].map((path): [string, number] => [path, read | right.execute]),
    ['/dev/null', right.readFile | right.writeFile],
    ...sandbox.writes.map((path): [string, number] => [path, write]),
    // How much its children use stands there; what is private of processes outside, Landlock refuses.
    ...(sandbox.startsChildren ? [['/proc', right.readFile] as [string, number]] : []),
  ]
  const plan = { ...launch, rules, ...writeBounds(bounds, sandbox.startsChildren ?? false) }
  return [...launcher, JSON.stringify(plan)]
}

/** What every shell can do: all that there is on systems other than Linux. */
export function wrapInLimits(bounds: ProcessBounds, command: readonly string[]): string[] {
  const limits = `ulimit -c 0; ulimit -f ${Math.ceil(bounds.fileBytes / 512)}; ulimit -t ${bounds.cpuSeconds}; ulimit -n ${bounds.openFiles}`
  return ['/bin/sh', '-c', `${limits}; exec "$@"`, 'sh', ...command]
}

/** A launcher that restricts itself, says what the system offered, and ends. */
export const writeProbe = (bounds: ProcessBounds): string[] => {
  const plan = { isProbe: true, rules: [], ...writeBounds(bounds, false) }
  return [...launcher, JSON.stringify(plan)]
}

function writeBounds(bounds: ProcessBounds, startsChildren: boolean): object {
  const limits: [number, number][] = [
    [cpuLimit, bounds.cpuSeconds],
    [fileLimit, bounds.fileBytes],
    // It counts private writable pages, so large empty reservations of V8 and WebAssembly pass; RLIMIT_AS would refuse them.
    [dataLimit, bounds.memoryBytes + 1024 ** 3],
    [coreLimit, 0],
    [descriptorLimit, bounds.openFiles],
  ]
  const filter = buildSyscallFilter(startsChildren)?.toString('base64') ?? ''
  return { limits, filter, marks: filterMarks, parentId: process.pid }
}

const linkedOf = new Map<string, readonly string[]>()

/** Where packages lie that are links into another installation, as tools that share packages between checkouts lay them. */
function findLinked(packages: string): readonly string[] {
  const known = linkedOf.get(packages)
  if (known) return known
  const links = readdirSync(packages, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
  const folders = links.map(({ name }) => dirname(realpathSync(join(packages, name))))
  const found = [...new Set(folders)].filter((folder) => basename(folder) === 'node_modules')
  linkedOf.set(packages, found)
  return found
}

/** Our sources and the packages they load. Not the whole checkout: the data folder lies in it unless it is set. */
function findCode(entry: URL): string[] {
  const packageFile = findPackageJSON(entry)
  const packageFolder = packageFile ? dirname(packageFile) : dirname(fileURLToPath(entry))
  const places = [dirname(fileURLToPath(entry)), formatsFolder]
  for (const folder of [packageFolder, formatsFolder]) {
    places.push(join(folder, 'src'), join(folder, 'package.json'))
    for (let above = folder; ; above = dirname(above)) {
      const packages = join(above, 'node_modules')
      if (existsSync(packages)) places.push(packages, ...findLinked(packages))
      if (above === dirname(above)) break
    }
  }
  return [...new Set(places)]
}
