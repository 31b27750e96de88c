/** A form that carries Markdown, by the path that it is posted to. */
export interface TextForm {
  readonly action: string
  /** Where its text waits for somebody who has to sign in first, and where a draft of it goes on. */
  readonly page: string
}

const POST_FORM = /^\/(questions|answers|replies)\/[1-9]\d{0,14}\/(answers|replies|edit)$/
/** A draft of a question belongs to a course: somebody may write two questions in two courses. */
const ASK_FORM = /^\/questions\?course=([a-z0-9-]{1,100})$/

/**
 * The form that posts to this path; null for any other path, so that a preview never leads where somebody else wants it to.
 * @param path what a form's `to` field says
 */
export function textFormAt(path: string): TextForm | null {
  if (path === '/questions') return { action: path, page: '/questions/new' }
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

/** The same for forms whose text is saved as a draft: those above, and asking in a course (`/questions?course=SLUG`). */
export function draftFormAt(place: string): TextForm | null {
  const [, course] = ASK_FORM.exec(place) ?? []
  return course === undefined
    ? textFormAt(place)
    : { action: '/questions', page: `/questions/new?course=${course}` }
}
