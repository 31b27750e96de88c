import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RHYTHMS } from '../../database/schema.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { settingsNav } from '../../web/settings-nav.ts'
import { pushSectionFor } from '../pushing/subscriptions.ts'
import { findMailSettings, readUnsubscribeToken, type Unsubscribing } from './choices.ts'
import { kindsFor, mailChoice, mailEnd } from './operations.ts'

const PATH = '/settings/notifications' as const
const LEARNERS = 'learners'
const STAFF = 'staff'

export function registerMailSettings(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    const page = await settingsPage(request, request.requirePerson())
    return reply.page('mailing/settings', page, { script: 'push' })
  })
  openForm(app, PATH, mailChoice, {
    key: () => null,
    formPage: () => PATH,
    input: (request) => choicesIn(sentFields(request.body)),
    done: () => PATH,
    flash: () => 'mailing.flash.saved',
  })
}

/** How often mail comes, and of what: views/mailing/settings.eta. */
export async function settingsPage(request: FastifyRequest, person: Person) {
  const t = translatorFor(request)
  const settings = await findMailSettings(request.server.db, person.id)
  const choices = (chosen: string, values: readonly string[]) =>
    values.map((value) => ({
      value,
      text: t(`mailing.rhythm.${value}`),
      hint: t(`mailing.rhythmHint.${value}`),
      isChosen: value === chosen,
    }))
  return {
    title: t('mailing.title'),
    email: settings.email,
    isConfirmed: settings.isConfirmed,
    isSending: request.server.config.smtpUrl !== null,
    // Three mails in a row came back from the address.
    isStopped: settings.isStopped,
    rhythms: choices(settings.rhythm, RHYTHMS),
    courses: settings.courses.map(({ slug, title, language, rhythm }) => ({
      name: `course_${slug}`,
      title,
      lang: language,
      rhythms: choices(rhythm ?? 'default', ['default', ...RHYTHMS]),
    })),
    kinds: kindsFor(settings).map(({ name, reasons }) => ({
      name: `kind_${name}`,
      text: t(`mailing.kind.${name}`),
      isOn: !reasons.some((reason) => settings.mailsOff.includes(reason)),
    })),
    // The form says itself which kinds it has: somebody may become staff before they save it.
    kindsFor: settings.isStaff ? STAFF : LEARNERS,
    push: await pushSectionFor(request),
    ...settingsNav(contextOf(request), PATH),
  }
}

/** Reads a form's fields: `course_<slug>`, and `kind_<name>` for each box that is ticked; `kinds` says that it has boxes. */
function choicesIn({ rhythm, resume, kinds: shown, ...fields }: Readonly<Record<string, unknown>>) {
  const named = (prefix: string) =>
    Object.entries(fields).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
    )
  const kinds = named('kind_').map(([name]) => name)
  return {
    rhythm,
    courses: Object.fromEntries(named('course_')),
    ...((shown !== undefined || kinds.length > 0) && { kinds }),
    shown: shown === LEARNERS ? LEARNERS : STAFF,
    resume: resume === '1',
  }
}

export const unsubscribePage = (request: FastifyRequest, { scope }: Unsubscribing, isDone: boolean) => ({
  title: translatorFor(request)(isDone ? 'mailing.end.doneTitle' : 'mailing.end.title'),
  what: scope.what,
  isDone,
  action: `/unsubscribe/${textParam(request, 'token')}`,
})

/**
 * `/unsubscribe/:token`: no cookie and no form's token, as mail programs send the post themselves (RFC 8058); opened by GET it changes
 * nothing, as scanners of mail open links.
 */
export function registerUnsubscribe(app: FastifyInstance, keys: SecretKeys): void {
  const named = (request: FastifyRequest): Unsubscribing => {
    const found = readUnsubscribeToken(keys, textParam(request, 'token'))
    if (found === null) throw notFound()
    return found
  }
  const show = async (request: FastifyRequest, reply: FastifyReply, isDone: boolean) => {
    const page = unsubscribePage(request, named(request), isDone)
    return reply.page('mailing/unsubscribe', page, { robots: 'noindex' })
  }
  app.get('/unsubscribe/:token', async (request, reply) => show(request, reply, false))
  void app.register(async (scope) => {
    // RFC 8058, 3.1 allows either type. There is nothing in it that the address does not say.
    scope.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, {}),
    )
    const ended = (request: FastifyRequest, reply: FastifyReply) => show(request, reply, true)
    openForm(scope, '/unsubscribe/:token', mailEnd, {
      isFromAnywhere: true,
      actor: (request) => ({ id: named(request).personId }),
      key: () => null,
      input(request) {
        const { rhythm } = sentFields(request.body)
        return { id: '', ...named(request).scope, rhythm: RHYTHMS.find((one) => one === rhythm) }
      },
      done: (_, request) => request.url,
      shown: ended,
      // A deleted account gets no email.
      failed: (request, reply, error) =>
        error instanceof Problem && error.key === 'leaving' ? ended(request, reply) : null,
    })
  })
}
