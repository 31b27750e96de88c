import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MailLinkPurpose } from '../../database/schema.ts'
import { sentFields } from '../../web/form.ts'
import { queryParam } from '../../web/params.ts'
import { findMailLink, type MailLink } from './mail-links.ts'

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
