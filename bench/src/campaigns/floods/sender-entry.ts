/** A thread that sends bodies in turn, again and again, over some connections at once, until it is told to stop. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export interface SenderData {
  requests: { url: string; method: string; headers: Record<string, string>; body: Uint8Array }[]
  connections: number
}

/** How often each status was answered before it was told to stop; 0 for a connection that was closed. */
export type SenderResult = Record<number, number>

const { requests, connections } = workerData as SenderData
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const statuses: SenderResult = {}
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
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}

parentPort?.once('message', () => {
  isOver = true
  agent.destroy()
})
await Promise.all(Array.from({ length: connections }, sendOn))
parentPort?.postMessage(statuses)
