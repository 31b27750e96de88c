import { z } from 'zod'
import { answerResource, answerSchema } from '../../forum/answers/resource.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import type { Course } from '../../forum/courses/queries.ts'
import { answerRecords, replyRecords } from '../../forum/posts/records.ts'
import { courseRecordsAfter } from '../../forum/reading/records.ts'
import { questionResource, questionSchema } from '../../forum/reading/resource.ts'
import { replyResource, replySchema } from '../../forum/replies/resource.ts'
import { renamedMentions } from '../../text/mentions.ts'
import { type Call, linesOf, reading } from '../../web/json/endpoint.ts'
import { resource } from '../../web/json/resource.ts'

const exportedReply = replySchema.omit({ me: true })

/** A line of the export: a question with all below it. */
const exportSchema = resource('ExportedQuestion', {
  ...questionSchema.omit({ me: true }).shape,
  answers: z.array(answerSchema.omit({ me: true }).extend({ replies: z.array(exportedReply) })),
  replies: z.array(exportedReply),
})

/** Questions that an export reads at a time. */
const EXPORTED_AT_ONCE = 100

export const exportEndpoint = reading(
  '/courses/:course/export',
  linesOf(exportSchema),
  {
    name: 'exportCourse',
    tag: 'desk',
    scope: 'staff',
    limit: 'download',
    query: z.object({ pseudonymous: z.literal('1').optional() }),
  },
  async ({ request, query }) => {
    const course = await courseFor(request, 'see-members')
    return exported(request, course, query.pseudonymous === '1')
  },
)

/** The questions of a course, oldest first, some at a time: constant memory, whatever the course holds. */
async function* exported(request: Call['request'], course: Course, isPseudonymous: boolean) {
  const { person, server } = request
  const hide = isPseudonymous ? pseudonyms() : null
  for (let after = 0; ; ) {
    const records = await courseRecordsAfter(server.db, person, course.id, after, EXPORTED_AT_ONCE)
    const ids = records.map(({ id }) => id)
    if (ids.length === 0) return
    const [questions, answers, replies] = await Promise.all([
      questionResource.items(request, records),
      answerRecords.ofQuestions(server.db, person, ids).then((rows) => answerResource.items(request, rows)),
      replyRecords.ofQuestions(server.db, person, ids).then((rows) => replyResource.items(request, rows)),
    ])
    for (const question of questions) {
      const below = replies.filter((reply) => reply.question === question.id)
      const line = {
        ...question,
        answers: answers
          .filter((answer) => answer.question === question.id)
          .map((answer) => ({ ...answer, replies: below.filter((reply) => reply.answer === answer.id) })),
        replies: below.filter(({ answer }) => answer === null),
      }
      yield hide === null ? line : hide(line)
    }
    after = ids.at(-1) ?? after
  }
}

/** A mention as pages show it. */
const SHOWN = /<a class="mention" href="\/people\/([1-9]\d{0,14})\/[^"]*">@[^<]*<\/a>/g

interface Hideable extends Pick<z.input<typeof replySchema>, 'author' | 'body' | 'body_html'> {}
type Answered = Hideable & { readonly replies: readonly Hideable[] }

/**
 * Replaces people by numbers, the same for each of them within one export: authors, and whom posts mention. A name that somebody
 * typed as text stays.
 */
function pseudonyms() {
  const known = new Map<number, string>()
  const nameOf = (id: number) => {
    const name = known.get(id) ?? `Person ${known.size + 1}`
    known.set(id, name)
    return name
  }
  const hidden = <Post extends Hideable>(post: Post): Post => ({
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
  return <Line extends Answered & { answers: readonly Answered[] }>(question: Line) => ({
    ...hidden(question),
    answers: question.answers.map((answer) => ({ ...hidden(answer), replies: answer.replies.map(hidden) })),
    replies: question.replies.map(hidden),
  })
}
