import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MailLinkPurpose } from '../../database/schema.ts'
import { sentFields } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { DeadLink, findMailLink, type MailLink } from './mail-links.ts'

/**
 * Looks at the link in a page's address, which changes nothing: mail scanners open every link.
 * @returns null when it is no good (any more)
 */
export async function openLink(
  request: FastifyRequest,
  reply: FastifyReply,
  purposes: readonly MailLinkPurpose[],
) {
  const token = queryParam(request, 'token') ?? ''
  const link = await findMailLink(request.server.db, purposes, token)
  return link === null ? null : { link, opened: openedLink(reply, link, token) }
}

/**
 * What its page needs beside its own words. `signInPath`: without the token, which the shell's own would carry on. The page is nobody's to
 * keep.
 */
export function openedLink(reply: FastifyReply, { email }: MailLink, token: string) {
  reply.header('cache-control', 'private, no-store')
  return { token, email, signInPath: '/sign-in' }
}
export type OpenedLink = ReturnType<typeof openedLink>

/** The actor of a form behind an emailed link: the owner of the mailbox, even when another person is signed in. */
export const OF_LINK = { actor: () => null } as const

/** The fields of a link's form: `token`. */
export function tokenOf(request: FastifyRequest): string {
  const { token } = sentFields(request.body)
  return typeof token === 'string' ? token : ''
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
  const page = { title: t(keys.title), text: t(keys.text), advice: t(keys.advice), signInPath: '/sign-in' }
  return reply.page('accounts/dead-link', page, { status: 410 })
}

/** The page of a form whose link is dead. */
export const orDeadLink =
  (keys: typeof DEAD_LINK) => (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    error instanceof DeadLink ? showDeadLink(request, reply, keys) : null
