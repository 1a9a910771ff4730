import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { writeProbe } from './sandbox.ts'

/** What a child was given by this system. */
interface Applied {
  limits: boolean
  noNewPrivileges: boolean
  capabilities: boolean
  /** The version of its interface; 0: none. */
  landlock: number
  seccomp: boolean
}

/** The first version that also holds signals and abstract sockets; Linux 6.12. */
const wholeLandlock = 6
const bounds = { memoryBytes: 1024 ** 3, fileBytes: 0, cpuSeconds: 60, openFiles: 256 }

/** What processes that read foreign files lack here of their sandbox, in words for the operator; nothing where it is whole. */
export async function probeSandbox(): Promise<string[]> {
  if (process.platform !== 'linux') return ['Landlock, seccomp and no_new_privs, which only Linux has']
  const [program = '', ...words] = writeProbe(bounds)
  const child = spawn(program, words, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  const failed = new Promise<never>((_resolve, reject) => child.once('error', reject))
  const [said, complaint] = await Promise.race([Promise.all([text(child.stdout), text(child.stderr)]), failed])
  if (said === '') return [`a launcher that works (${complaint.trim()})`]
  return listMissing(JSON.parse(said))
}

function listMissing({ limits, noNewPrivileges, capabilities, landlock, seccomp }: Applied): string[] {
  const missing: [boolean, string][] = [
    [limits, 'resource limits (koffi, which sets them, could not be loaded)'],
    [noNewPrivileges, 'no_new_privs'],
    [capabilities, 'dropping capabilities'],
    [seccomp, 'seccomp'],
    [landlock > 0, 'Landlock (Linux 5.13 or newer, with "landlock" among the security modules)'],
    [
      landlock === 0 || landlock >= wholeLandlock,
      `Landlock's newer rules (version ${landlock} of ${wholeLandlock}; Linux 6.12 has them)`,
    ],
  ]
  return missing.filter(([isThere]) => !isThere).map(([, words]) => words)
}
