import { createKeyedLimiter, createLimiter } from '@nmp/formats/limiter'
import type { ReceivedBody } from './received-body.ts'

/** A request as another thread gets it. */
export interface PassedRequest {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  address: string
  body: Uint8Array<ArrayBuffer>
}

export interface PassedAnswer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: Uint8Array
}

/** Answers whole requests beside the loop that everybody waits for. */
export type AnswerBeside = (request: PassedRequest) => Promise<PassedAnswer>

/** Waits for its turn; only then the body is in memory. Whoever has gone meanwhile leaves the turn to the next. */
export type AnswerInTurn = (
  asked: { person: string; signal: AbortSignal },
  request: Omit<PassedRequest, 'body'>,
  body: ReceivedBody,
) => Promise<PassedAnswer>

const mostAtOnce = 2

/** One of each person, and two in all: that bounds what parsing them takes, and nobody waits behind many of another. */
export function createTurns(answerBeside: AnswerBeside): AnswerInTurn {
  const ofEach = createKeyedLimiter(1)
  const inAll = createLimiter(mostAtOnce)
  return ({ person, signal }, request, body) =>
    ofEach.run(person, async () => {
      signal.throwIfAborted()
      return inAll.run(async () => {
        signal.throwIfAborted()
        return answerBeside({ ...request, body: (await body.read()) as Buffer<ArrayBuffer> })
      })
    })
}
