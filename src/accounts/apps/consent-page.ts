import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { type Person, suspensionIn, suspensionsOfPerson } from '../../kernel/rights/person.ts'
import { type FormState, freshForm, sentFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { GuardedClient } from '../../web/guarded-fetch.ts'
import { page } from '../../web/page.ts'
import { queryOf } from '../../web/params.ts'
import { takeSelections } from '../../web/transport/body.ts'
import { leadFormsTo } from '../../web/transport/headers.ts'
import { type InSession, ownWith, sessionOf } from '../identity/own-account.ts'
import { findKeptForm } from '../sessions/kept-forms.ts'
import { coursesForTokens } from '../tokens/token.ts'
import { hashOf, isLoopback, requireAgents } from './app.ts'
import { type Asked, answerTo, NoWayBack, readAsked, SentBack } from './authorization-request.ts'
import { ClientDocuments } from './client-document.ts'
import { grantAccess } from './grants.ts'

const PATH = '/oauth/authorize' as const

declare module 'fastify' {
  interface FastifyInstance {
    /** What apps say of themselves. */
    readonly clientDocuments: ClientDocuments
  }
}

/** Where apps ask people for access, and people allow it or don't. */
export async function registerConsent(app: FastifyInstance): Promise<void> {
  const client = new GuardedClient()
  app.addHook('onClose', async () => client.close())
  app.decorate('clientDocuments', new ClientDocuments(client))

  app.get(PATH, { config: { limit: 'apps', keepsQuery: true } }, async (request, reply) =>
    answered(request, reply, (asked) => showAsked(request, reply, asked)),
  )
  await app.register(async (scope) => {
    takeSelections(scope)
    openForm(scope, PATH, appAllowing, {
      formPage: (request) => request.url,
      async key(request) {
        return { ...sessionOf(request), asked: await askedOf(request) }
      },
      instead: (request, reply) =>
        answered(request, reply, async (asked) => {
          const isAllowed = sentFields(request.body).decision === 'allow'
          const answer = answerTo(asked, app.config.baseUrl, { error: 'access_denied' })
          return isAllowed ? null : reply.redirect(answer, 303)
        }),
      done: (address) => address,
      refused: (request, reply, form) =>
        answered(request, reply, (asked) => showAsked(request, reply, asked, form)),
    })
  })
}

/** Answers a request to ask, and one that can't be one: in a page, or by leading its app back. */
async function answered<Answer>(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: (asked: Asked) => Promise<Answer>,
) {
  try {
    return await answer(await askedOf(request))
  } catch (error) {
    if (error instanceof NoWayBack) return showRefused(request, reply.code(400), error.reason)
    if (!(error instanceof SentBack)) throw error
    if (!error.isAtOnce) return showRefused(request, reply.code(400), 'request', error.address)
    return reply.header('cache-control', 'no-store').redirect(error.address, 303)
  }
}

/** @throws Problem 404 where agents are off, NeedsSignIn, NoWayBack, SentBack */
async function askedOf(request: FastifyRequest): Promise<Asked> {
  const { db, config, clientDocuments: documents } = request.server
  const policy = await requireAgents(db)
  // Before anything is fetched for it, or anyone is led anywhere.
  request.requirePerson()
  const kept = await findKeptForm(request)
  const query = kept?.query ?? queryOf(request.url)
  return readAsked(query, { db, baseUrl: config.baseUrl, policy, documents })
}

function showAsked(request: FastifyRequest, reply: FastifyReply, asked: Asked, form?: FormState) {
  const { origin, hostname } = new URL(asked.redirectUri)
  // A policy can't name the host [::1].
  leadFormsTo(reply.header('cache-control', 'no-store'), hostname === '[::1]' ? 'http:' : origin)
  return showConsent(request, reply, asked, form, [sentFields(request.body).course].flat())
}

export const showConsent = page(
  'apps/consent',
  { robots: 'noindex' },
  async (
    { t, db, ...context },
    { app, redirectUri, scopes, query }: Asked,
    form: FormState = freshForm(),
    chosen: readonly unknown[] = [],
  ) => {
    const person = context.person()
    const hash = hashOf(app)
    const [standing, courses] = [
      await standingOf(db, person.id, app.clientId),
      await coursesForTokens(db, person),
    ]
    return {
      title: t('apps.consent.title', { client: app.name }),
      ...{ form, name: app.name },
      action: `${PATH}?${query}`,
      version: hash.toString('hex'),
      // What an app calls itself is as it likes; its addresses aren't.
      describedAt: app.isRegistered ? null : new URL(app.clientId).host,
      leadsTo: new URL(redirectUri).host,
      isOnDevice: isLoopback(redirectUri),
      hasChanged: standing.described?.equals(hash) === false,
      isReadingOnly: mayOnlyRead(standing) && scopes.length > 1,
      scopes: scopes.map((scope) => ({
        text: t(`apps.scope.${scope}`),
        hint: t(`apps.scope.${scope}.text`),
      })),
      courses: courses.map(({ slug, title }) => ({ slug, title, isChosen: chosen.includes(slug) })),
    }
  },
)

/** Somebody's suspensions, and how an app was described when they let it in the last time; null: never. */
async function standingOf(db: Database, personId: number, clientId: string) {
  const before = sql<Buffer | null>`(select described_hash from app_grants as given join apps on apps.id = given.app_id
    where given.person_id = person.id and apps.client_id = ${clientId} order by given.id desc limit 1)`
  return db
    .selectFrom('people as person')
    .select([suspensionsOfPerson.as('suspensions'), before.as('described')])
    .where('person.id', '=', personId)
    .executeTakeFirstOrThrow()
}

/** Somebody who is suspended everywhere lets apps read, and nothing more. */
function mayOnlyRead({ suspensions = [] }: Pick<Person, 'suspensions'>): boolean {
  return suspensionIn(suspensions, null) !== null
}

export const showRefused = page(
  'apps/refused',
  { robots: 'noindex' },
  ({ t }, reason: NoWayBack['reason'] | 'request', back: string | null = null) => ({
    title: t('apps.refused.title'),
    text: t(`apps.refused.${reason}`),
    back:
      back === null ? null : { address: back, text: t('apps.refused.back', { host: new URL(back).host }) },
  }),
)

/** Courses that are ticked, by their slugs; none: all. */
const courses = z
  .union([z.string(), z.array(z.string())])
  .transform((sent) => [...new Set([sent].flat().filter((slug) => slug !== ''))])

/**
 * Lets an app act for the person, as far as it asked and in the courses that they chose. `version`: how it was described when it was shown.
 * @returns where the app hears of it
 */
const appAllowing = operation({
  name: 'allow-app',
  right: 'have-account',
  find: ownWith<InSession & { readonly asked: Asked }>,
  limit: 'apps',
  input: { course: courses, version: plain },
  events: ['app-allowed'],
  async run({ write, actor, subject: { id, asked }, input, baseUrl, note }) {
    const person = personOf(actor)
    if (input.version !== hashOf(asked.app).toString('hex')) throw refusal('decision', 'apps.consent.changed')
    const theirs = await coursesForTokens(write, person)
    const chosen = theirs.filter(({ slug }) => input.course.includes(slug))
    if (chosen.length < input.course.length) throw refusal('course', 'forms.choice')
    const scopes = mayOnlyRead(person) ? (['read'] as const) : asked.scopes
    const courseIds = chosen.length === 0 ? null : chosen.map((course) => course.id)
    const code = await grantAccess(write, id, { ...asked, scopes, courseIds })
    if (code === null) throw refusal('decision', 'apps.consent.changed')
    note('app-allowed', { scopes: scopes.join(' ') })
    return answerTo(asked, baseUrl, { code })
  },
})
