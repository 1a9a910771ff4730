import type { Context } from '../context.ts'
import { describeError } from '../errors.ts'
import * as repository from './repository.ts'
import { linkMark } from './service.ts'

const batchSize = 50
const claimSeconds = 120
const mostAttempts = 12
const longestWaitSeconds = 3_600

/**
 * Sends what is due; any process may, also several at once: a mail is claimed before it is sent and its row goes after. One that dies
 * between the two leaves the mail to be sent again, under the same Message-ID.
 */
export async function sendDueMails(context: Context): Promise<number> {
  let sent = 0
  for (;;) {
    const mails = await repository.claimMails(context.db, batchSize, claimSeconds)
    for (const mail of mails) if (await sendMail(context, mail)) sent += 1
    if (mails.length < batchSize) return sent
  }
}

/** Sends one mail at once, where somebody waits to hear whether it left. */
export async function sendMailNow(context: Context, mailId: string): Promise<boolean> {
  const mail = await repository.claimMail(context.db, mailId, claimSeconds)
  return mail !== undefined && sendMail(context, mail)
}

async function sendMail(context: Context, mail: repository.WaitingMail): Promise<boolean> {
  try {
    await context.sendMail({
      to: mail.to,
      subject: mail.subject,
      text: renderText(mail).replaceAll(linkMark, context.publicUrl),
      messageId: `<${mail.id}@${new URL(context.publicUrl).hostname}>`,
    })
  } catch (error) {
    const isLast = mail.attemptCount >= mostAttempts
    const waitSeconds = Math.min(longestWaitSeconds, 15 * 2 ** (mail.attemptCount - 1))
    context.log.error(
      { mailId: mail.id, attempt: mail.attemptCount, error: describeError(error) },
      'a mail was not sent',
    )
    const failure = { waitSeconds, isLast, error: describeError(error).slice(0, 500) }
    await repository.postponeMails(context.db, [mail.id], failure)
    return false
  }
  await repository.deleteMails(context.db, [mail.id])
  return true
}

/** The link stands alone at the end. */
function renderText({ subject, body }: repository.WaitingMail): string {
  const lines = body.split('\n')
  const text = [subject, ...lines.slice(0, -1)].join('\n')
  return `${text}\n\n${lines.at(-1) ?? ''}\n\n--\nChoose which mails you get in your profile: ${linkMark}/settings/notifications\n`
}
