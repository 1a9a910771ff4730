import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { endGroup, killGroup, startProcess } from '@nmp/formats/child'
import type { Sandbox } from '@nmp/formats/child/sandbox'
import { watchCpu, watchMemory } from '@nmp/formats/child/use'
import { describeEffort, type Effort, findCpuSeconds } from '@nmp/formats/effort'
import { FormatError, type FormatErrorCode } from '@nmp/formats/errors'
import { type Finding, Findings } from '@nmp/formats/finding'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import type { Prepared, PrepareRequest } from './prepare.ts'
import type { PrepareHooks } from './prepare-hooks.ts'
import type { FromPreparer, SentError, ToPreparer } from './prepare-message.ts'

const entry = new URL('./prepare-entry.ts', import.meta.url)
const heapBytes = 1536 * 1024 ** 2
/** Its own parsers and encoders have bounds within these. */
const bounds = { memoryBytes: 4 * 1024 ** 3, fileBytes: 1024 ** 4, openFiles: 8192 }
/** Above what it is given by its bytes: that limit is told in a sentence, this one is the kernel's. */
const spareCpuSeconds = 60
/** How long a process that was told to stop may take to end its own children. */
const stopMs = 4000
/** A line of progress for each of a million episodes would be more work than the episodes. */
const progressMs = 200

/** What the process is given, by what there is to read. */
export interface SourceEffort extends Effort {
  sourceBytes: number
}

/** It changes nothing but the folders of its own attempt, temporary files included; what it starts is bound as it is, and more. */
export const sandboxOfPreparer = (folders: readonly string[]): Sandbox => ({
  reads: [],
  writes: folders,
  startsChildren: true,
})

/**
 * As `prepareRevision`, in a process of its own that has no environment, no database and no secret. Its processor time is
 * bounded by the bytes of the source; what it starts for HDF5 and video has bounds of its own, call by call.
 */
export async function prepareInProcess(
  request: PrepareRequest,
  effort: SourceEffort,
  hooks: Omit<PrepareHooks, 'onReading'>,
): Promise<Prepared> {
  hooks.signal.throwIfAborted()
  const temporaryFolder = join(request.targetFolder, 'tmp')
  await mkdir(temporaryFolder)
  const cpuSeconds = spareCpuSeconds + Math.ceil(findCpuSeconds(effort, effort.sourceBytes + request.maxUnpackedBytes))
  const child = startProcess(
    entry,
    { ...bounds, cpuSeconds },
    sandboxOfPreparer([request.topFolder, request.targetFolder]),
    { heapBytes, env: { TMPDIR: temporaryFolder }, hasChannel: true },
  )
  const exited = once(child, 'exit').catch(() => undefined)
  let excess: FormatError | undefined
  const stopFor = (error: FormatError): void => {
    excess = error
    killGroup(child)
  }
  const log = followReading(hooks)
  const findBytes = (): number => effort.sourceBytes + log.last.unpackedBytes
  const unwatchMemory = watchMemory(child.pid, bounds.memoryBytes, () => stopFor(describeMemory()))
  const unwatchCpu = watchCpu(
    child.pid,
    () => findCpuSeconds(effort, findBytes()),
    () => {
      const { path, findings } = log.last
      const sourceBytes = findBytes()
      const sentence = `Reading the source ${describeEffort(findCpuSeconds(effort, sourceBytes), sourceBytes)}; it was stopped${path ? ` at ${path}` : ''}.`
      const said = new Findings()
      said.add('file-unreadable', sentence)
      hooks.onLearned({ findings: [...findings, ...said.list] })
      stopFor(new FormatError('parser_cpu', sentence))
    },
  )
  const onAbort = (): void => stopChild(child)
  hooks.signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await converse(child, request, log.hooks)
  } catch (error) {
    hooks.signal.throwIfAborted()
    throw excess ?? error
  } finally {
    hooks.signal.removeEventListener('abort', onAbort)
    unwatchMemory()
    unwatchCpu()
    // Whoever removes the work folder next must find that nobody writes there any more.
    setTimeout(() => killGroup(child), stopMs).unref()
    await exited
    endGroup(child)
  }
}

/** Asked first, so that it ends the parsers and encoders it has started; then killed. */
function stopChild(child: ChildProcess): void {
  if (child.connected) child.send({ say: 'stop' } satisfies ToPreparer, () => undefined)
  setTimeout(() => killGroup(child), stopMs).unref()
}

function converse(child: ChildProcess, request: PrepareRequest, hooks: PrepareHooks): Promise<Prepared> {
  let lastWords = ''
  child.stderr?.on('data', (text: Buffer) => {
    lastWords = (lastWords + text.toString('utf8')).slice(-4096)
  })
  return new Promise((resolve, reject) => {
    let shownAt = 0
    child.on('message', (message: FromPreparer) => {
      if (message.say === 'phase') hooks.onPhase(message.phase)
      else if (message.say === 'unpacking') hooks.onUnpacking(message.bytes)
      else if (message.say === 'reading') hooks.onReading(message.path)
      else if (message.say === 'learned') hooks.onLearned(message.learned)
      else if (message.say === 'done') resolve(message.prepared)
      else if (message.say === 'failed') reject(restore(message.error))
      else if (Date.now() - shownAt >= progressMs || message.done === message.total) {
        shownAt = Date.now()
        hooks.onProgress(message.done, message.total, message.message)
      }
    })
    child.once('error', (cause) => {
      reject(new FormatError('child_failed', 'The process that reads the source could not be started.', { cause }))
    })
    child.once('exit', (exitCode, signal) => reject(describeEnd(exitCode, signal, lastWords)))
    child.send({ say: 'prepare', request } satisfies ToPreparer, (error) => {
      if (error) reject(new FormatError('child_failed', 'The process that reads the source could not be reached.'))
    })
  })
}

const describeMemory = (): FormatError =>
  new FormatError('parser_memory', 'The source needs more memory than an import may use.')

interface LastWords {
  path?: string
  unpackedBytes: number
  findings: readonly Finding[]
}

/** What was said last, for the report of a process that says nothing any more. */
function followReading(hooks: Omit<PrepareHooks, 'onReading'>): { hooks: PrepareHooks; last: LastWords } {
  const last: LastWords = { findings: [], unpackedBytes: 0 }
  return {
    last,
    hooks: {
      ...hooks,
      onUnpacking: (bytes) => {
        last.unpackedBytes = bytes
        hooks.onUnpacking(bytes)
      },
      onReading: (path) => {
        last.path = path
      },
      onLearned: (learned) => {
        last.findings = learned.findings ?? last.findings
        hooks.onLearned(learned)
      },
    },
  }
}

const describeEnd = (exitCode: number | null, signal: string | null, lastWords: string): FormatError => {
  const isMemory = /heap out of memory|allocation failed/i.test(lastWords)
  if (isMemory) return describeMemory()
  const how = signal ? `by ${signal}` : `with exit code ${exitCode}`
  return new FormatError('source_file_crashes_parser', `The process that read the source ended ${how}.`, {
    cause: new Error(lastWords),
  })
}

const restore = ({ from, code, sentence }: SentError): Error => {
  if (from === 'format') return new FormatError(code as FormatErrorCode, sentence)
  if (from === 'service') return new ServiceError(code as ErrorCode, sentence)
  return Object.assign(new Error(sentence), code === '' ? {} : { code })
}
