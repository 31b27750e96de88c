import type { FastifyInstance } from 'fastify'
import type { SimilarView } from '../../forum/search/similar/similar-view.ts'
import { HUES_COUNT } from '../../text/face.ts'
import { page } from '../../web/page.ts'
import * as places from './place-samples.ts'
import { anAnswerView, INSTRUCTOR, LEARNER, ROWS, someone, VOTES } from './samples.ts'

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
  app.get('/design', (request, reply) => showDesign(request, reply))
}

const HEAD = { isForStaff: true, showsTexts: true, robots: 'noindex' } as const

export const showDesign = page('design/index', HEAD, async ({ t, server }) => {
  const faces = Array.from({ length: HUES_COUNT }, (_, hue) => someone(hue, 'MK', `hue-${hue}`))
  const rows: string[] = ROWS.map((question) => server.part('/questions/_question-row', { t, question }))
  return {
    title: 'Components',
    // The first of the people.
    face: someone(0, 'MK', 'hue-0'),
    people: [...faces, LEARNER, INSTRUCTOR, someone(0, null, 'Anonymous classmate')],
    rows,
    votes: VOTES,
    answers: [await anAnswerView(1, true), await anAnswerView(2, false)],
    similar: SIMILAR,
    // Places of a course, what is found, what is told.
    places,
  }
})
