import type { FastifyInstance } from 'fastify'
import { noteEvent } from '../../kernel/audit/note.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { listMails, MAIL } from '../../mail/outbox.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { idParam } from '../../web/params.ts'
import { settingsPage } from '../../web/settings-nav.ts'
import { mailRetry } from './operations.ts'

/** The outbox, for admins: waiting mails with their errors; without a mail server also their bodies. */
export function registerMail(app: FastifyInstance): void {
  app.get('/mail', async (request, reply) => {
    requireRight(request.person, 'see-mail', null)
    if (app.config.smtpUrl === null) noteEvent(request, 'mail-read', {})
    return showMails(request, reply)
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

export const showMails = settingsPage('mail/index', '/mail', {}, async (context) => {
  const { t, db, lang, isSending } = context
  const listed = await listPage(context, '/mail', 'time', (asked) => listMails(db, asked))
  const timeZone = await context.timeZone()
  return {
    title: t('mail.index.title'),
    isSending,
    mails: listed.rows.map((mail) => ({
      ...mail,
      lang: mail.language === lang ? null : mail.language,
      writtenAt: writtenMoment(mail.writtenAt, timeZone, t),
      // Where a mail server delivers it, nobody reads it here: its links open other people's accounts.
      text: isSending ? null : mail.text,
    })),
    ...listed.links,
  }
})
