import { renamedMentions } from '../../text/mentions.ts'
import type { AnswerBody, QuestionBody, ReplyBody } from './schemas/posts.ts'

type Below = ReplyBody | (AnswerBody & { readonly replies: readonly ReplyBody[] })
type Exported = QuestionBody & { readonly answers: readonly Below[]; readonly replies: readonly ReplyBody[] }

/** A mention as pages show it. */
const SHOWN = /<a class="mention" href="\/people\/([1-9]\d{0,14})\/[^"]*">@[^<]*<\/a>/g

/**
 * Replaces people by numbers, the same for each of them within one export: authors, and whom posts mention. A name that somebody
 * typed as text stays.
 */
export function pseudonyms(): (question: Exported) => object {
  const known = new Map<number, string>()
  const nameOf = (id: number) => {
    const name = known.get(id) ?? `Person ${known.size + 1}`
    known.set(id, name)
    return name
  }
  const hidden = <Post extends QuestionBody | AnswerBody | ReplyBody>(post: Post): Post => ({
    ...post,
    body: renamedMentions(post.body, nameOf),
    body_html: post.body_html.replace(SHOWN, (_link, id: string) => `@${nameOf(Number(id))}`),
    author: {
      ...post.author,
      id: null,
      name: post.author.id === null ? post.author.name : nameOf(post.author.id),
      questions_count: null,
    },
  })
  return (question) => ({
    ...hidden(question),
    answers: question.answers.map((answer) => ({
      ...hidden(answer),
      ...('replies' in answer && { replies: answer.replies.map(hidden) }),
    })),
    replies: question.replies.map(hidden),
  })
}
