import type { FastifyInstance } from 'fastify'
import type { Byline } from '../../forum/authors/byline.ts'
import type { SimilarView } from '../../forum/search/similar/similar-view.ts'
import { HUES_COUNT } from '../../text/face.ts'
import { translatorFor } from '../../web/language.ts'
import * as places from './place-samples.ts'
import { anAnswerView, INSTRUCTOR, LEARNER, ROWS, someone, VOTES } from './samples.ts'

export interface DesignPage {
  /** The first of the people. */
  readonly face: Byline
  readonly people: readonly ReturnType<typeof someone>[]
  readonly rows: readonly string[]
  readonly votes: typeof VOTES
  readonly answers: readonly Awaited<ReturnType<typeof anAnswerView>>[]
  readonly similar: readonly SimilarView[]
  /** Places of a course, what is found, what is told: place-samples.ts. */
  readonly places: typeof places
}

const SIMILAR: readonly SimilarView[] = [
  { title: 'What does ResponseEntity give me in a test?', isResolved: true, followPath: '/design' },
  { title: 'Why does my test see no body?', isResolved: false, followPath: null },
].map((question, index) => ({
  ...question,
  id: index + 1,
  path: '/design',
  lang: 'en',
  answerLang: 'en',
  answersCount: 1,
  answer: 'The status without parsing, and the headers as a map.',
}))

/** `/design`: every component in every state, from the partials that the pages use. `npm run dev` registers it. */
export function registerDesign(app: FastifyInstance): void {
  app.get('/design', async (request, reply) => {
    const faces = Array.from({ length: HUES_COUNT }, (_, hue) => someone(hue, 'MK', `hue-${hue}`))
    const t = translatorFor(request)
    return reply.page<DesignPage>(
      'design/index',
      {
        title: 'Components',
        face: someone(0, 'MK', 'hue-0'),
        people: [...faces, LEARNER, INSTRUCTOR, someone(0, null, 'Anonymous classmate')],
        rows: ROWS.map((question) => app.part('/questions/_question-row', { t, question })),
        votes: VOTES,
        answers: [await anAnswerView(1, true), await anAnswerView(2, false)],
        similar: SIMILAR,
        places,
      },
      { isForStaff: true, showsTexts: true, robots: 'noindex' },
    )
  })
}
