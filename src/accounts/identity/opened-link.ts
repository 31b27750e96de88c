import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MailLinkPurpose } from '../../database/schema.ts'
import { sentFields } from '../../web/form.ts'
import { page } from '../../web/page.ts'
import { queryParam } from '../../web/params.ts'
import { DeadLink, findMailLink, type MailLink } from './mail-links.ts'

/**
 * The link in a page's address. Looking at it changes nothing: mail scanners open every link.
 * @returns null when it is no good (any more)
 */
export function openLink(request: FastifyRequest, purposes: readonly MailLinkPurpose[]) {
  return findMailLink(request.server.db, purposes, queryParam(request, 'token') ?? '')
}

/**
 * What the page of a link needs beside its own words. `signInPath`: without the token, which the shell's own
 * would carry on.
 */
export const ofLink = ({ token, email }: MailLink) => ({ token, email, signInPath: '/sign-in' })

/** The actor of a form behind an emailed link: the owner of the mailbox, even when another person is signed in. */
export const OF_LINK = { actor: () => null } as const

/** The fields of a link's form: `token`. */
export function tokenOf(request: FastifyRequest): string {
  const { token } = sentFields(request.body)
  return typeof token === 'string' ? token : ''
}

/** What the page of a dead link says: what happened, and what to do. */
type DeadWords = Readonly<Record<'text' | 'advice', string>> & { readonly title?: string }

/** 410: there may have been such a link, there is none any more. */
export function showDeadLink(request: FastifyRequest, reply: FastifyReply, words: DeadWords) {
  return showDead(request, reply.code(410), words)
}

const showDead = page('accounts/dead-link', {}, ({ t }, { title, text, advice }: DeadWords) => ({
  title: t(title ?? 'accounts.deadLink.title'),
  text: t(text),
  advice: t(advice),
  signInPath: '/sign-in',
}))

/** The page of a form whose link is dead. */
export const orDeadLink =
  (words: DeadWords) => (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    error instanceof DeadLink ? showDeadLink(request, reply, words) : null
