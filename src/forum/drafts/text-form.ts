/** A form that carries Markdown, by the path that it is posted to. */
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
