import type { Person } from '../../rights/person.ts'
import { showMentions } from '../../text/mentions.ts'
import { tellsAuthor } from '../../text/own-name.ts'
import { plainText } from '../../text/plain.ts'
import type { AnswerNode, QuestionTree, ReplyNode } from './tree.ts'

/** A post of a question's page that says the asker's name in so many words. */
export type NamingPost = QuestionTree | AnswerNode | ReplyNode

/**
 * Posts of a private question in which somebody typed the asker's name or address as text: unlike mentions (hidden-mentions.ts) it stays
 * where it is when the question opens anonymously, as only people can tell whom it means. For the asker, who may open it.
 */
export function postsTypingName(tree: QuestionTree, viewer: Person | null): NamingPost[] {
  if (tree.audience !== 'staff' || viewer === null || viewer.id !== tree.author_id) return []
  return [tree, ...tree.answers, ...tree.replies].filter((post) => {
    const html = showMentions(post.body_html, (id, typed) => (id === viewer.id ? '' : `@${typed}`))
    const text = 'title' in post ? `${post.title}\n${plainText(html)}` : plainText(html)
    return tellsAuthor(text, [viewer.displayName], [viewer.email ?? ''])
  })
}
