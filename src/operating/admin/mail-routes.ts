import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readerTimeZone } from '../../accounts/settings/reader-time-zone.ts'
import type { Language } from '../../database/schema.ts'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { type ListedMail, listMails, MAIL, type MailState } from '../../mail/outbox.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import type { Moment } from '../../text/moment.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest } from '../../web/language.ts'
import { type PageLinks, pageLinks, pageRequest } from '../../web/pages.ts'
import { idParam } from '../../web/params.ts'
import { type InSettings, settingsNav } from '../../web/settings-nav.ts'
import { mailRetry } from './operations.ts'

export interface MailIndex extends InSettings, PageLinks {
  /** Whether there is a mail server: without one the admin forwards mails by hand. */
  readonly isSending: boolean
  readonly mails: readonly MailRow[]
}

interface MailRow {
  readonly id: number
  readonly recipient: string
  readonly subject: string
  /** For the lang attribute; null: the page's language. */
  readonly lang: Language | null
  readonly writtenAt: Moment
  readonly state: MailState
  readonly tries: number
  readonly lastError: string | null
  /** The body; null where a mail server delivers it: its links open other people's accounts. */
  readonly text: string | null
}

/** The outbox, for admins: waiting mails with their errors; without a mail server also their bodies. */
export function registerMail(app: FastifyInstance): void {
  const isSending = app.config.smtpUrl !== null

  app.get('/mail', async (request, reply) => {
    checkMaySee(request)
    if (!isSending) noteEvent(request, 'mail-read', {})
    const page = await listMails(app.db, pageRequest(request, 'time'))
    const language = languageOfRequest(request)
    const timeZone = await readerTimeZone(request)
    return reply.page<MailIndex>('mail/index', {
      title: translatorOf(language)('mail.index.title'),
      isSending,
      ...settingsNav(request, '/mail'),
      mails: page.rows.map((mail) => mailRow(mail, { language, timeZone, isSending })),
      ...pageLinks(page, (mail) => ({ value: mail.writtenAt.getTime(), id: mail.id }), '/mail'),
    })
  })

  openForm(app, '/mail/:mailId/sending', mailRetry, {
    key: () => null,
    formPage: () => '/mail',
    input: (request) => ({ mail: idParam(request, 'mailId') }),
    shown: () => app.jobs.wake(MAIL),
    done: () => '/mail',
    flash: () => 'mail.flash.again',
  })
}

function checkMaySee(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'see-mail')) throw forbidden()
}

function mailRow(
  mail: ListedMail,
  { language, timeZone, isSending }: { language: Language; timeZone: string; isSending: boolean },
): MailRow {
  return {
    id: mail.id,
    recipient: mail.recipient,
    subject: mail.subject,
    lang: mail.language === language ? null : mail.language,
    writtenAt: writtenMoment(mail.writtenAt, timeZone, translatorOf(language)),
    state: mail.state,
    tries: mail.tries,
    lastError: mail.lastError,
    text: isSending ? null : mail.text,
  }
}
