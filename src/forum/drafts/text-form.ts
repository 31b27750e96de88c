/** A form that carries Markdown, by the path that it is posted to. */
export interface TextForm {
  readonly action: string
  /** Where its text waits for somebody who has to sign in first, and where a draft of it goes on. */
  readonly page: string
}

const POST_FORM = /^\/(questions|answers|replies)\/[1-9]\d{0,14}\/(answers|replies|edit)$/
/** A draft of a question belongs to a course: somebody may write two questions in two courses. */
const ASK_FORM = /^\/questions\?course=([a-z0-9-]{1,100})$/
const NEWS_FORM = /^\/(?:courses\/[a-z0-9-]{1,100}\/announcements\/new|announcements\/[1-9]\d{0,14}\/edit)$/
/** A draft of a correction belongs to what it corrects. */
const CORRECTION = /^(\/courses\/[a-z0-9-]{1,100}\/announcements\/new)\?corrects=[1-9]\d{0,14}$/

/**
 * The form that posts to this path; null for any other path, so that a preview never leads where somebody else wants it to.
 * @param path what a form's `to` field says
 */
export function textFormAt(path: string): TextForm | null {
  if (path === '/questions') return { action: path, page: '/questions/new' }
  if (NEWS_FORM.test(path)) return { action: path, page: path }
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

/** Where a draft belongs: the path that its form is posted to. Of the form that asks, its page's address says the same. */
export function draftPlaceOf(place: string): string {
  return place.replace(/^\/questions\/new(?=$|\?)/, '/questions')
}

/**
 * The same for forms whose text is saved as a draft: those above, asking in a course (`/questions?course=SLUG`), and correcting an
 * announcement.
 */
export function draftFormAt(place: string): TextForm | null {
  const [, action] = CORRECTION.exec(place) ?? []
  if (action !== undefined) return { action, page: place }
  const [, course] = ASK_FORM.exec(place) ?? []
  return course === undefined
    ? textFormAt(place)
    : { action: '/questions', page: `/questions/new?course=${course}` }
}

/**
 * Where the draft of a new announcement belongs.
 * @param action its form's
 * @param corrects the id of the announcement that it corrects; null or empty: none
 */
export function newsDraftPlace(action: string, corrects: number | string | null): string {
  return corrects === null || corrects === '' ? action : `${action}?corrects=${corrects}`
}
