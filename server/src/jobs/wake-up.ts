import type { Connection } from '../db/database.ts'
import { openListening } from '../db/listen.ts'
import type { Log } from '../log.ts'
import { canceledChannel } from './statements/cancel-job.ts'
import { queuedChannel } from './statements/create-job.ts'

interface WakeUpOptions {
  connection: Connection
  log: Log
  /** What came while nobody listened may have been missed. */
  onListening(): void
  onQueued(): void
  onCanceled(jobId: string): void
}

export interface WakeUp {
  close(): Promise<void>
}

/** Listens for new jobs and cancels. Workers poll besides, so a lost word costs time and no job. */
export const openWakeUp = ({ connection, log, onListening, onQueued, onCanceled }: WakeUpOptions): WakeUp =>
  openListening({
    connection,
    log,
    channels: [queuedChannel, canceledChannel],
    onListening,
    onWord: (channel, word) => {
      if (channel === queuedChannel) onQueued()
      if (channel === canceledChannel && word) onCanceled(word)
    },
  })
