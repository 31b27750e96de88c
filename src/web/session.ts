import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../accounts/access.ts'
import { KeptSessions } from '../accounts/kept-sessions.ts'
import type { Person } from '../accounts/person.ts'
import { beginSessionOf, endSession } from '../accounts/sessions.ts'
import { NeedsSignIn } from './sign-in-first.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; null: a visitor. */
    person: Person | null
    /** The session's token as the cookie carries it; null: none, or one that has ended. Kept when that is not known. */
    sessionToken: string | null
    /** @throws NeedsSignIn for a visitor: sends them to sign in and brings back what they typed */
    requirePerson(): Person
    /** Why nobody knows whether somebody is signed in; null: it is known. */
    sessionFailure: unknown
  }
  interface FastifyReply {
    /**
     * Begins a session and sets its cookie; one that this browser had ends.
     * @returns false when what was shown to be let in is void since, so that there is none
     */
    signIn(access: Access): Promise<boolean>
    /** Ends the session on the server and clears what the browser kept. */
    signOut(): Promise<void>
  }
}

/** 180 days, as accounts/sessions.ts ends a session at the latest. */
const LONGEST = 180 * 24 * 60 * 60

/** Who is asking: looked up once a request, by the session's cookie. */
export function registerSession(app: FastifyInstance): void {
  const isSecure = app.config.baseUrl.startsWith('https:')
  // __Host- binds the cookie to this host, path / and https (RFC 6265bis, 4.1.3.2).
  const name = isSecure ? '__Host-session' : 'session'
  const options = { path: '/', httpOnly: true, secure: isSecure, sameSite: 'lax' as const }

  const sessions = new KeptSessions(app.db, app.changes)
  app.decorateRequest('person', null)
  app.decorateRequest('sessionToken', null)
  app.decorateRequest('requirePerson', requirePerson)
  app.decorateRequest('sessionFailure', null)
  app.decorateReply('signIn', async function (this: FastifyReply, access: Access) {
    const token = await beginSessionOf(app.db, access, this.request.headers['user-agent'] ?? '')
    if (token === null) return false
    if (this.request.sessionToken !== null) await endSession(app.db, this.request.sessionToken)
    this.setCookie(name, token, { ...options, maxAge: LONGEST })
    return true
  })
  app.decorateReply('signOut', async function (this: FastifyReply) {
    if (this.request.sessionToken !== null) await endSession(app.db, this.request.sessionToken)
    this.clearCookie(name, options).header('clear-site-data', '"cache", "storage"')
  })
  app.addHook('onRequest', async (request) => {
    if (request.shown !== null) {
      request.person = request.shown.reader
      return
    }
    const token = request.cookies[name]
    if (token === undefined || request.routeOptions.config.isPublic === true) return
    try {
      request.person = await sessions.personOf(token)
      if (request.person !== null) request.sessionToken = token
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
