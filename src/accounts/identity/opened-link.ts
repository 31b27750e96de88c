import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MailLinkPurpose } from '../../database/schema.ts'
import { sentFields } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { DeadLink, findMailLink, type MailLink } from './mail-links.ts'

/** What the page of a link from a mail needs, beside its own words. */
export interface OpenedLink {
  readonly token: string
  /** The address it is about. */
  readonly email: string
  /** Without the token, which the shell's own would carry on. */
  readonly signInPath: string
}

/**
 * Looks at the link in a page's address, which changes nothing: mail scanners open every link.
 * @returns null when it is no good (any more)
 */
export async function openLink(
  request: FastifyRequest,
  reply: FastifyReply,
  purposes: readonly MailLinkPurpose[],
): Promise<{ readonly link: MailLink; readonly opened: OpenedLink } | null> {
  const token = queryParam(request, 'token') ?? ''
  const link = await findMailLink(request.server.db, purposes, token)
  return link === null ? null : { link, opened: openedLink(reply, link, token) }
}

/** Its page is nobody's to keep. */
export function openedLink(reply: FastifyReply, { email }: MailLink, token: string): OpenedLink {
  reply.header('cache-control', 'private, no-store')
  return { token, email, signInPath: '/sign-in' }
}

/** The actor of a form behind an emailed link: the owner of the mailbox, even when another person is signed in. */
export const OF_LINK = { actor: () => null } as const

/** The fields of a link's form: `token`. */
export function tokenOf(request: FastifyRequest): string {
  const { token } = sentFields(request.body)
  return typeof token === 'string' ? token : ''
}

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
