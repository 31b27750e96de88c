/** A form that carries Markdown, as its preview names it: where it is posted, and the page that shows it. */
export interface TextForm {
  readonly action: string
  /** Where its text waits for somebody who has to sign in first. */
  readonly page: string
}

const ADDRESS = /^\/(questions|answers|replies)\/[1-9]\d{0,14}\/(answers|replies|edit)$/

/**
 * The form that posts to this path; null for any other path, so that a preview never leads where somebody else wants it to.
 * @param path what a form's `to` field says
 */
export function textFormAt(path: string): TextForm | null {
  if (path === '/questions') return { action: path, page: '/questions/new' }
  const [, , act] = ADDRESS.exec(path) ?? []
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
