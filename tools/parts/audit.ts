/**
 * The audit, a lane of `.ci/run`: what advisories say of the packages that an installation gets. The registry is asked; where it does not
 * answer, that is said and counted as skipped, and the packages that were once refused are looked for all the same.
 */
import { execFileSync } from 'node:child_process'
import { codecWorkspace, listPackages, programWorkspaces, root } from './lockfile.ts'

/** Packages that advisories named in what nmp once installed, and that nobody has mended. */
const refused: Readonly<Record<string, string>> = { ip: 'CVE-2024-29415' }

interface Answer {
  vulnerabilities?: Record<string, { name: string; severity: string; range: string }>
  message?: string
  error?: { summary?: string }
}

function askRegistry(): Answer {
  try {
    const words = ['audit', '--omit=dev', '--json', '--audit=true']
    return JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch (error) {
    // npm ends with 1 when it found something, and when it could not ask.
    const said = String((error as { stdout?: string }).stdout ?? '')
    return said.startsWith('{') ? JSON.parse(said) : { message: 'npm audit said nothing' }
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const packages = listPackages('package-lock.json', [...programWorkspaces, codecWorkspace])
const back = packages.filter(({ name }) => Object.hasOwn(refused, name))
for (const { name, version } of back) say(`FAILED ${name}@${version} is installed again: ${refused[name]}`)
if (back.length === 0) say(`ok none of the refused packages is installed: ${Object.entries(refused).join(' ')}`)
const { vulnerabilities, message, error } = askRegistry()
const found = Object.values(vulnerabilities ?? {})
for (const { name, severity, range } of found) say(`FAILED ${name} ${range}: ${severity}`)
if (!vulnerabilities)
  say(`skipped npm audit: the registry did not answer (${message ?? error?.summary ?? 'no reason given'})`)
else if (found.length === 0) say('ok npm audit --omit=dev found nothing')
process.exitCode = back.length + found.length > 0 ? 1 : 0
