import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Audience } from '../database/schema.ts'
import { slugOf } from '../text/slug.ts'
import { typedFields } from './form.ts'

/** The URLs of all pages, encoded for an href. */
export function questionPath(question: { id: number; title: string; audience?: Audience }): string {
  // Addresses are seen by logs, proxies and histories: the title of a private question is in none.
  if (question.audience === 'staff') return `/questions/${question.id}/private`
  return `/questions/${question.id}/${slugBeside(question.title, 'question', ['edit', 'history', 'reports', 'cases'])}`
}

/** A slug that is none of the pages beside it: /questions/12/edit is a form, so a question titled "Edit" is at question-edit. */
function slugBeside(text: string, kind: string, pages: readonly string[]): string {
  const slug = slugOf(text, kind)
  return pages.includes(slug) ? `${kind}-${slug}` : encodeURIComponent(slug)
}

export const answerPath = (question: Parameters<typeof questionPath>[0], answerId: number) =>
  `${questionPath(question)}#answer-${answerId}`

export const replyPath = (question: Parameters<typeof questionPath>[0], replyId: number) =>
  `${questionPath(question)}#reply-${replyId}`

export const personPath = (person: { id: number; displayName: string }) =>
  `/people/${person.id}/${slugBeside(person.displayName, 'person', ['reports', 'cases', 'suspension', 'spammer'])}`

export const tagPath = (name: string) => `/tags/${encodeURIComponent(name)}`

/** Whom a post of a question could mention. */
export const mentionablePath = (questionId: number) => `/mentions/questions/${questionId}`

export const coursePath = (slug: string) => `/courses/${encodeURIComponent(slug)}`

export const lecturesPath = (slug: string) => `${coursePath(slug)}/lectures`

/** The figures of a course; `.csv` after it: as numbers. */
export const figuresPath = (slug: string) => `${coursePath(slug)}/figures`
export const announcementsPath = (slug: string) => `${coursePath(slug)}/announcements`

export const announcementPath = ({ id, title }: { id: number; title: string }) =>
  `/announcements/${id}/${slugBeside(title, 'announcement', ['edit'])}`

export const faqPath = (slug: string) => `${coursePath(slug)}/faq`

export const membersPath = (slug: string) => `${coursePath(slug)}/members`

/** The rules of a course. */
export const courseRulesPath = (slug: string) => `${coursePath(slug)}/rules`
/** Where instructors write the rules of a course. */
export const courseRulesFormPath = (slug: string) => `${courseSettingsPath(slug)}/rules`
export const courseSettingsPath = (slug: string) => `${coursePath(slug)}/settings`

/** Where instructors rename, merge and describe the tags of a course. */
export const courseTagSettingsPath = (slug: string) => `${courseSettingsPath(slug)}/tags`

/** Where instructors change the blocklists of a course. */
export const courseBlocklistPath = (slug: string) => `${courseSettingsPath(slug)}/blocklist`

/** What waits for the staff of a course. */
export const deskPath = (slug: string) => `${coursePath(slug)}/desk`

/** The cases of a course. */
export const moderationPath = (slug: string) => `${coursePath(slug)}/moderation`

/** Posts of a course that wait to be let through. */
export const heldPath = (slug: string) => pathWith(moderationPath(slug), { view: 'held' })

/** The tags of a course. */
export const courseTagsPath = (slug: string) => pathWith('/tags', { course: slug })

export const signInPath = (next: string) => `/sign-in?next=${encodeURIComponent(next)}`

/** The start of a sign-in with a provider; its other paths are below it. */
export const signInWithPath = (provider: string, next = '/') =>
  pathWith(`/sign-in/with/${provider}`, { next: next === '/' ? null : next })

/** Where visitors choose language and theme. */
export const appearancePath = (next: string) => pathWith('/appearance', { next: next === '/' ? null : next })

/** A path with a query string; parameters that are null are left out. */
export function pathWith(path: string, parameters: Record<string, string | number | null>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}

/** Characters of a path that is kept for somebody: posted_once_path_length, half_sign_ins_path_length. */
export const MAX_PATH_LENGTH = 4000

/**
 * Where to go after signing in: a path of ours, not over MAX_PATH_LENGTH, or the fallback. Resolving it as a browser does refuses //evil, /\evil,
 * https:evil and their encoded forms (OWASP ASVS 5.0, 3.7.2).
 */
export function localPath(next: string | null | undefined, fallback = '/'): string {
  if (next === null || next === undefined || !next.startsWith('/') || /[\p{Cc}\\]/u.test(next))
    return fallback
  const base = 'http://forum.invalid'
  if (!URL.canParse(next, base)) return fallback
  const url = new URL(next, base)
  if (url.origin !== base || /^\/(?:\/|%2f|%5c)/i.test(url.pathname)) return fallback
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.length > MAX_PATH_LENGTH ? fallback : path
}

/** How one signs in, where one is signed in, and what happened of late. */
export const SECURITY = '/settings/security'
export type SecuritySection = 'devices' | 'sign-in' | 'passkeys' | 'second-factor' | 'activity'

export function securityPath(section: SecuritySection): string {
  return `${SECURITY}#${section}`
}

/** Where a form that stands on several pages leads back to: its field `back`, a path of ours. */
export function backPath(request: FastifyRequest, fallback: string): string {
  return localPath(typedFields(request.body).back, fallback)
}

/**
 * 301 to a page's right address, with the query asked for. Browsers ask again each time: an address that is outdated today
 * may be the right one again tomorrow, and two redirects kept for good would send their reader in circles.
 */
export function movedTo(request: Pick<FastifyRequest, 'url'>, reply: FastifyReply, path: string) {
  const query = request.url.split('?')[1]
  const [page = '', section] = path.split('#')
  const asked = query === undefined ? page : `${page}?${query}`
  const to = section === undefined ? asked : `${asked}#${section}`
  return reply.header('cache-control', 'no-cache').redirect(to, 301)
}

/** A link with its words. */
export interface Link {
  readonly text: string
  readonly path: string
}
