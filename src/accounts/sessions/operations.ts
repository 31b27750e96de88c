import type { Write } from '../../database/schema.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { type InSession, ownAccount } from '../identity/own-account.ts'
import { endOtherSessions } from './sessions.ts'

/** Ends one of one's own sessions, by the name that session-list.ts gives it. */
export const sessionEnd = operation({
  name: 'end-session',
  right: 'have-account',
  find: async (write: Write, { name, ...session }: InSession & { readonly name: string }) => ({
    ...(await ownAccount(write, session)),
    name,
  }),
  events: ['session-ended'],
  async run({ write, subject: { id, name }, note }) {
    const ended = await write
      .deleteFrom('sessions')
      .where('person_id', '=', id)
      .where('token_hash', '=', Buffer.from(name, 'base64url'))
      .executeTakeFirst()
    if (ended.numDeletedRows !== 1n) throw notFound()
    note('session-ended', {})
  },
})

/** Ends all of one's own sessions but the one that this is done in. */
export const otherSessionsEnd = operation({
  name: 'end-other-sessions',
  right: 'have-account',
  find: ownAccount,
  events: ['other-sessions-ended'],
  async run({ write, subject: { id, sessionToken }, note }) {
    await endOtherSessions(write, id, sessionToken)
    note('other-sessions-ended', {})
  },
})
