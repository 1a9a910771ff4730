import { connect } from 'node:net'

export interface RawAnswer {
  /** 0: the connection was closed without a word. */
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends bytes as they are, which no HTTP client would, and reads until the other side closes or has said a whole answer. */
export const sendRaw = (url: string, bytes: string | Buffer, seconds = 20): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    const finish = (): void => {
      socket.destroy()
      resolve(parseAnswer(Buffer.concat(chunks).toString('latin1')))
    }
    socket.setTimeout(seconds * 1000, () => {
      socket.destroy()
      reject(new Error(`No answer within ${seconds} s to ${bytes.toString().slice(0, 200)}`))
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) finish()
    })
    // The other side may close while bytes are still being sent: what it said before counts.
    socket.on('error', finish)
    socket.on('close', finish)
    socket.write(bytes)
  })

const isWhole = (text: string): boolean => {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1]
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length)
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1] ?? 0), headers, body: rest.join('\r\n\r\n') }
}
