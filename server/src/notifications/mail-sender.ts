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
    for (const bundle of bundleMails(mails)) if (await sendBundle(context, bundle)) sent += 1
    if (mails.length < batchSize) return sent
  }
}

/** Sends one mail at once, where somebody waits to hear whether it left. */
export async function sendMailNow(context: Context, mailId: string): Promise<boolean> {
  const mail = await repository.claimMail(context.db, mailId, claimSeconds)
  return mail !== undefined && sendBundle(context, [mail])
}

const bundleMails = (mails: readonly repository.WaitingMail[]): repository.WaitingMail[][] => [
  ...Map.groupBy(mails, (mail) => (mail.bundle === null ? mail.id : `${mail.bundle} ${mail.to}`)).values(),
]

async function sendBundle(context: Context, mails: readonly repository.WaitingMail[]): Promise<boolean> {
  const [first] = mails
  if (!first) return false
  const ids = mails.map(({ id }) => id)
  try {
    await context.sendMail({
      to: first.to,
      subject: describeTogether(mails.map(({ subject }) => subject)),
      text: renderText(mails).replaceAll(linkMark, context.publicUrl),
      messageId: `<${first.id}@${new URL(context.publicUrl).hostname}>`,
    })
  } catch (error) {
    const isLast = first.attemptCount >= mostAttempts
    const waitSeconds = Math.min(longestWaitSeconds, 15 * 2 ** (first.attemptCount - 1))
    context.log.error(
      { mailId: first.id, attempt: first.attemptCount, error: describeError(error) },
      'a mail was not sent',
    )
    await repository.postponeMails(context.db, ids, { waitSeconds, isLast, error: describeError(error).slice(0, 500) })
    return false
  }
  await repository.deleteMails(context.db, ids)
  return true
}

const describeTogether = (subjects: readonly string[]): string => [...new Set(subjects)].join(' ')

function renderText(mails: readonly repository.WaitingMail[]): string {
  const parts = mails.map(({ subject, body }) => ({ subject, lines: body.split('\n') }))
  const links = new Set(parts.map(({ lines }) => lines.at(-1) ?? ''))
  const texts = parts.map(({ subject, lines }) => [subject, ...lines.slice(0, -1)].join('\n'))
  return `${[...texts, [...links].join('\n')].join('\n\n')}\n\n--\nWhich mails you get is set in your profile: ${linkMark}/settings/notifications\n`
}
