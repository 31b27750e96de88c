import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { together } from '../../database/together.ts'
import { NeedsSignIn } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { cookieOf } from '../../web/cookies.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { hashToken } from '../../web/tokens.ts'
import type { Access } from '../identity/access.ts'
import type { Way } from '../identity/ways.ts'
import { forgetKeptForms } from './kept-forms.ts'
import { beginSessionOf, endSession, peopleOfSessions } from './sessions.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The person a session's token belongs to, by all changes that were heard so far; null when it has ended or never was. */
    personOfSession(token: string): Promise<Person | null>
  }
  interface FastifyRequest {
    /** Who is signed in; null: a visitor. */
    person: Person | null
    /** The session's token as the cookie carries it; null: none, or one that has ended. Kept when that is not known. */
    sessionToken: string | null
    /** The token of a session that has ended, or never was, as the cookie still carries it; null: none. */
    endedSession: string | null
    /** @throws NeedsSignIn for a visitor: sends them to sign in and brings back what they typed */
    requirePerson(): Person
    /** Why nobody knows whether somebody is signed in; null: it is known. */
    sessionFailure: unknown
  }
  interface FastifyReply {
    /**
     * Begins a session and sets its cookie; one that this browser had ends, and who came back from a provider and waits in it is forgotten.
     * @param ways in which they showed who they are; none: in a session that has ended by what they did
     * @param path where signing in leads: who waits on that page stays
     * @returns false when what was shown to be let in is void since, so that there is none
     */
    signIn(access: Access, ways?: readonly Way[], path?: string): Promise<boolean>
    /** Ends the session on the server, and clears what the browser kept and what was kept for it. */
    signOut(): Promise<void>
  }
}

/** As web/tokens.ts makes them: whatever else stands in the cookie belongs to no session. */
const TOKEN = /^[\w-]{43}$/

/** 180 days: sessions.ts ends every session by then. */
const MAX_AGE_SECONDS = 180 * 24 * 60 * 60

/** Who is asking: looked up once a request, by the session's cookie. */
export function registerSession(app: FastifyInstance): void {
  const { name, options } = cookieOf(app.config, 'session')

  const sessions = new KeptSessions(app.db, app.changes)
  app.decorate('personOfSession', (token: string) => sessions.personOf(token))
  app.decorateRequest('person', null)
  app.decorateRequest('sessionToken', null)
  app.decorateRequest('endedSession', null)
  app.decorateRequest('requirePerson', requirePerson)
  app.decorateRequest('sessionFailure', null)
  app.decorateReply(
    'signIn',
    async function (this: FastifyReply, access: Access, ways: readonly Way[] = [], path = '/') {
      const token = await beginSessionOf(app.db, access, this.request.headers['user-agent'] ?? '', ways)
      if (token === null) return false
      await app.forgetReturned(this.request, { path, personId: access.personId })
      if (this.request.sessionToken !== null) await endSession(app.db, this.request.sessionToken)
      this.setCookie(name, token, { ...options, maxAge: MAX_AGE_SECONDS })
      return true
    },
  )
  app.decorateReply('signOut', async function (this: FastifyReply) {
    if (this.request.sessionToken !== null) await endSession(app.db, this.request.sessionToken)
    await forgetKeptForms(this.request, this)
    await app.forgetReturned(this.request, null)
    this.clearCookie(name, options).header('clear-site-data', '"cache", "storage"')
  })
  app.addHook('onRequest', async (request) => {
    if (request.rendering !== null) {
      request.person = request.rendering.reader
      return
    }
    const token = request.cookies[name]
    if (token === undefined || !TOKEN.test(token) || request.routeOptions.config.isPublic === true) return
    try {
      request.person = await sessions.personOf(token)
      if (request.person === null) request.endedSession = token
      else request.sessionToken = token
    } catch (error) {
      request.sessionFailure = error
      request.sessionToken = token
    }
  })
  // Only now, as the body has been read: what somebody typed is on the error's page.
  app.addHook('preValidation', async (request) => {
    if (request.sessionFailure !== null) throw request.sessionFailure
  })
}

function requirePerson(this: FastifyRequest): Person {
  if (this.person === null) throw new NeedsSignIn()
  return this.person
}

/**
 * How long who a session belongs to is kept: a session that nobody used for 30 days may live that much
 * longer. Longer than most people stay on a page, so that the next page finds them.
 */
const MAX_AGE_MS = 5 * 60_000
const MAX_SESSIONS = 10_000
/** Looked up by one statement. */
const MAX_TOGETHER = 100

/** Who is signed in, looked up again when the session, the person, a role or a provider changes. */
class KeptSessions {
  /** After a restart hundreds of people come at once. */
  private readonly personOfHash: (hash: string) => Promise<Person | undefined>
  private readonly kept: ScopedCache<Person | null>

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: ChangeFeed | null) {
    this.personOfHash = together((hashes) => peopleOfSessions(db, hashes), MAX_TOGETHER)
    this.kept = new ScopedCache(changes, { maxSize: MAX_SESSIONS, maxAgeMs: MAX_AGE_MS })
  }

  /** The person a session's token belongs to; null when it has ended or never was. */
  personOf(token: string): Promise<Person | null> {
    const hash = hashToken(token).toString('hex')
    return this.kept.find(hash, async () => {
      const value = (await this.personOfHash(hash)) ?? null
      return { value, scopes: value === null ? null : [`access:${value.id}`, 'sign-in'] }
    })
  }
}
