import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../database/schema.ts'
import { noteEvent } from '../../kernel/audit/note.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { listMails, MAIL } from '../../mail/outbox.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { pageLinks, pageRequest } from '../../web/pages.ts'
import { idParam } from '../../web/params.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { mailRetry } from './operations.ts'

/** The outbox, for admins: waiting mails with their errors; without a mail server also their bodies. */
export function registerMail(app: FastifyInstance): void {
  const isSending = app.config.smtpUrl !== null

  app.get('/mail', async (request, reply) => {
    checkMaySee(request)
    if (!isSending) noteEvent(request, 'mail-read', {})
    return showMails(request, reply, isSending)
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

export async function showMails(request: FastifyRequest, reply: FastifyReply, isSending: boolean) {
  const page = await listMails(request.server.db, pageRequest(request, 'time'))
  const language = languageOfRequest(request)
  const timeZone = await request.server.timeZoneFor(request)
  return reply.page('mail/index', {
    title: translatorOf(language)('mail.index.title'),
    isSending,
    ...settingsNav(contextOf(request), '/mail'),
    mails: page.rows.map((mail) => mailRow(mail, { language, timeZone, isSending })),
    ...pageLinks(page, (mail) => ({ value: mail.writtenAt.getTime(), id: mail.id }), '/mail'),
  })
}

function checkMaySee(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'see-mail')) throw forbidden()
}

function mailRow(
  mail: Awaited<ReturnType<typeof listMails>>['rows'][number],
  { language, timeZone, isSending }: { language: Language; timeZone: string; isSending: boolean },
) {
  return {
    ...mail,
    lang: mail.language === language ? null : mail.language,
    writtenAt: writtenMoment(mail.writtenAt, timeZone, translatorOf(language)),
    // Where a mail server delivers it, nobody reads it here: its links open other people's accounts.
    text: isSending ? null : mail.text,
  }
}
