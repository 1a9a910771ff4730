/** A thread that sends bodies in turn, again and again, over some connections at once, until it is told to stop. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export interface SenderData {
  requests: { url: string; method: string; headers: Record<string, string>; body: Uint8Array }[]
  connections: number
}

export interface SenderResult {
  /** How often each status was answered before it was told to stop; 0 for a connection that was closed. */
  statuses: Record<number, number>
  /** Answers that were worked for: refusals of too many, and closed connections, prove nothing. */
  answered: number
}

/** `worked` when as many were answered as there are connections. */
export type SenderMessage = 'worked' | SenderResult

const unworked = [0, 429, 503]
const say = (message: SenderMessage): void => parentPort?.postMessage(message)

const { requests, connections } = workerData as SenderData
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const result: SenderResult = { statuses: {}, answered: 0 }
let isOver = false
let sentCount = 0

const sendOnce = (): Promise<number> =>
  new Promise((resolve) => {
    const { url, method, headers, body } = requests[sentCount++ % requests.length] as SenderData['requests'][number]
    const sent = request(url, { method, agent, headers: { ...headers, 'content-length': body.byteLength } })
    sent.on('response', (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })

const sendOn = async (): Promise<void> => {
  while (!isOver) {
    const status = await sendOnce()
    if (isOver) return
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
    if (!unworked.includes(status) && ++result.answered === connections) say('worked')
  }
}

parentPort?.once('message', () => {
  isOver = true
  agent.destroy()
})
await Promise.all(Array.from({ length: connections }, sendOn))
say(result)
