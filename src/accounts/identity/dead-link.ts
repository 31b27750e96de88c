import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorFor } from '../../web/language.ts'
import { DeadLink } from './mail-links.ts'

interface DeadLinkPage {
  /** Ready texts: what happened, and what to do. */
  readonly text: string
  readonly advice: string
  readonly signInPath: string
}

/** What the page of a dead link says: what happened, and what to do. */
export const DEAD_LINK = {
  title: 'accounts.deadLink.title',
  text: 'accounts.deadLink.text',
  advice: 'accounts.deadLink.advice',
}

/** 410: there may have been such a link, there is none any more. @param keys of what the page says */
export function showDeadLink(request: FastifyRequest, reply: FastifyReply, keys: typeof DEAD_LINK) {
  const t = translatorFor(request)
  const data = { title: t(keys.title), text: t(keys.text), advice: t(keys.advice), signInPath: '/sign-in' }
  return reply.page<DeadLinkPage>('accounts/dead-link', data, { status: 410 })
}

/** The page of a form whose link is dead. */
export const orDeadLink =
  (keys: typeof DEAD_LINK) => (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    error instanceof DeadLink ? showDeadLink(request, reply, keys) : null
