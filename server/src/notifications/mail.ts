import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'

export interface Mail {
  to: string
  subject: string
  text: string
  /** The same for every attempt, so that a mail program shows a repeated one once. */
  messageId?: string
}

/** Sends one mail, or throws. Header injection is nodemailer's to prevent: subject and address are encoded, never pasted. */
export type SendMail = (mail: Mail) => Promise<void>

/** Over SMTP where a server is set; otherwise each mail is an `.eml` file, written whole or not at all. */
export function createMail({
  smtpUrl,
  from,
  folder,
}: {
  smtpUrl: string | undefined
  from: string
  folder: string
}): SendMail {
  if (smtpUrl) {
    const transport = createTransport(smtpUrl)
    return async (mail) => {
      await transport.sendMail({ from, ...mail })
    }
  }
  const transport = createTransport({ streamTransport: true, buffer: true })
  return async (mail) => {
    const { message } = await transport.sendMail({ from, ...mail })
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
    const path = join(folder, name)
    await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 })
    await rename(`${path}.part`, path)
  }
}
