import { strangeFields, typedFields } from '../../web/form.ts'

export interface TextForm {
  readonly action: string
  /** Where its text waits for somebody who has to sign in first, and where a draft of it goes on. */
  readonly page: string
}

const POST_FORM = /^\/(questions|answers|replies)\/[1-9]\d{0,14}\/(answers|replies|edit)$/
/** A draft of a question belongs to a course: somebody may write two questions in two courses. Slugs are of any script. */
const ASK_FORM = /^\/questions\?course=([^/?#%\s]{1,80})$/u
/** A draft of a correction belongs to what it corrects. */
const NEWS_FORM = /^\/courses\/([^/?#%\s]{1,80})\/announcements\/new(\?corrects=[1-9]\d{0,14})?$/u
const NEWS_EDIT_FORM = /^\/announcements\/[1-9]\d{0,14}\/edit$/

/**
 * The form that posts to this path; null for any other path, so that a preview never leads where somebody else wants it to.
 * @param path what a form's `to` field says
 */
export function textFormAt(path: string): TextForm | null {
  if (path === '/questions') return { action: path, page: '/questions/new' }
  if (NEWS_EDIT_FORM.test(path)) return { action: path, page: path }
  const [, course, corrects] = NEWS_FORM.exec(decoded(path)) ?? []
  if (course !== undefined && corrects === undefined) return newsForm(course)
  const [, , act] = POST_FORM.exec(path) ?? []
  if (act === undefined) return null
  if (act === 'edit') return { action: path, page: path }
  const post = path.slice(0, path.lastIndexOf('/'))
  if (post.startsWith('/answers/')) {
    const id = post.slice('/answers/'.length)
    return act === 'replies' ? { action: path, page: `${post}?form=reply-answer-${id}` } : null
  }
  if (!post.startsWith('/questions/')) return null
  const form = act === 'answers' ? 'answer' : 'reply-question'
  return { action: path, page: `${post}?form=${form}#${form}` }
}

function newsForm(course: string, corrects = ''): TextForm {
  const action = `/courses/${encodeURIComponent(course)}/announcements/new`
  return { action, page: `${action}${corrects}` }
}

/**
 * Where a draft belongs: the path that its form is posted to, with the slug of its course as it is written. Of the form that asks, its
 * page's address says the same.
 */
export function draftPlaceOf(place: string): string {
  return decoded(place.replace(/^\/questions\/new(?=$|\?)/, '/questions'))
}

/** A path without percent-encoding; one that is encoded wrongly stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What ends the place of a draft that an agent left, beside that of the form that it is for. No form posts there. */
export const BY_AGENT = '#agent'

export const agentPlace = (questionId: number) => `/questions/${questionId}/answers${BY_AGENT}`

/** The page where somebody uses or discards such a draft; null: an agent left none at this place. */
export function agentDraftPage(place: string): string | null {
  if (!place.endsWith(BY_AGENT)) return null
  return `${place.slice(0, place.lastIndexOf('/'))}#answer`
}

/**
 * The same for forms whose text is saved as a draft: those above, asking in a course (`/questions?course=SLUG`), and correcting an
 * announcement.
 */
export function draftFormAt(place: string): TextForm | null {
  const [, course, corrects] = NEWS_FORM.exec(place) ?? []
  if (course !== undefined) return newsForm(course, corrects)
  const [, asked] = ASK_FORM.exec(place) ?? []
  if (asked !== undefined)
    return { action: '/questions', page: `/questions/new?course=${encodeURIComponent(asked)}` }
  return textFormAt(place)
}

/**
 * Where the draft of a new announcement belongs.
 * @param action its form's
 * @param corrects the id of the announcement that it corrects; null or empty: none
 */
export function newsDraftPlace(action: string, corrects: number | string | null): string {
  return decoded(corrects === null || corrects === '' ? action : `${action}?corrects=${corrects}`)
}

/** Bytes that all fields of one draft may have together: more than any form takes, and as the table bounds them. */
const MAX_BYTES = 200_000
const MAX_FIELDS = 40
/** Fields of the request, and where its form came from and leads. */
const NOT_KEPT = new Set(['place', 'version', 'back', 'next'])

export interface DraftForm {
  readonly place: string
  readonly fields: Readonly<Record<string, string>>
  /** The draft that the text goes on from; 0: none. */
  readonly version: number
}

/** What a program sends that no draft keeps: names that no field of ours has, secrets, and fields that come twice. */
export function isStrange(body: unknown): boolean {
  return strangeFields(body, ['_csrf', ...Object.keys(typedFields(body))]).length > 0
}

/**
 * Reads `place`, `version` and all named fields of the form but secrets: which it has is its own affair. NUL,
 * which no text of PostgreSQL can hold, is dropped, as no post takes it.
 * @returns null when the fields are more, or longer together, than any form takes
 */
export function readDraftForm(body: unknown): DraftForm | null {
  const sent = typedFields(body)
  const fields = Object.fromEntries(
    Object.entries(sent)
      .filter(([name]) => !NOT_KEPT.has(name))
      .map(([name, value]) => [name, value.toWellFormed().replaceAll('\0', '').normalize('NFC')]),
  )
  if (Object.keys(fields).length > MAX_FIELDS) return null
  if (Buffer.byteLength(JSON.stringify(fields)) > MAX_BYTES) return null
  const version = /^\d{1,9}$/.test(sent.version ?? '') ? Number(sent.version) : 0
  return { place: draftPlaceOf(sent.place ?? ''), fields, version }
}
