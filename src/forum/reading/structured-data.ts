import type { Translate } from '../../messages/catalogue.ts'
import { plainText } from '../../text/plain.ts'
import { answerPath, coursePath, questionPath } from '../../web/paths.ts'
import { type AuthorRow, type Byline, bylineOf } from '../authors/byline.ts'
import type { QuestionTree } from './tree.ts'

/** Maximum answers: more would tell a search engine nothing new, and cost every reader bandwidth. */
const MAX_ANSWERS = 10
const MAX_TEXT_LENGTH = 1000

/**
 * A question page as structured data: schema.org QAPage and BreadcrumbList, each the text of a `<script
 * type="application/ld+json">` of its own, so that who reads only the first finds the question. Every `<` is
 * escaped, so that no text can end the script.
 */
export function structuredData(tree: QuestionTree, baseUrl: string, t: Translate): readonly string[] {
  const url = `${baseUrl}${questionPath(tree)}`
  return [questionPage(tree, baseUrl, url, t), breadcrumbs(tree, baseUrl, url)].map((thing) =>
    JSON.stringify({ '@context': 'https://schema.org', ...thing }).replaceAll('<', '\\u003c'),
  )
}

function questionPage(tree: QuestionTree, baseUrl: string, url: string, t: Translate) {
  const author = (post: AuthorRow) => personOf(bylineOf({ t, viewer: null }, post, tree.course_id), baseUrl)
  const answers = tree.answers.filter(({ hiding }) => hiding === null).slice(0, MAX_ANSWERS)
  const toAnswer = (answer: QuestionTree['answers'][number]) => ({
    '@type': 'Answer',
    text: textOf(answer.body_html),
    url: `${baseUrl}${answerPath(tree, answer.id)}`,
    upvoteCount: answer.votes_count,
    dateCreated: new Date(answer.written_at).toISOString(),
    author: author(answer),
    ...(answer.endorser_name === null ? {} : { contentRating: endorsementBy(answer.endorser_name) }),
  })
  const accepted = answers.find((answer) => answer.id === tree.accepted_answer_id)
  const suggested = answers.filter((answer) => answer !== accepted)
  return {
    '@type': 'QAPage',
    mainEntity: {
      '@type': 'Question',
      name: tree.title,
      text: textOf(tree.body_html),
      url,
      answerCount: tree.answers_count,
      upvoteCount: tree.votes_count,
      dateCreated: tree.written_at.toISOString(),
      author: author(tree),
      ...(accepted === undefined ? {} : { acceptedAnswer: toAnswer(accepted) }),
      ...(suggested.length === 0 ? {} : { suggestedAnswer: suggested.map(toAnswer) }),
    },
  }
}

const endorsementBy = (name: string) => ({
  '@type': 'EndorsementRating',
  author: { '@type': 'Person', name },
})

function breadcrumbs(tree: QuestionTree, baseUrl: string, url: string) {
  const places = [
    { name: tree.course_title, item: `${baseUrl}${coursePath(tree.course_slug)}` },
    { name: tree.title, item: url },
  ]
  return {
    '@type': 'BreadcrumbList',
    itemListElement: places.map((place, index) => ({ '@type': 'ListItem', position: index + 1, ...place })),
  }
}

/** As visitors see them: who is anonymous has no address. */
function personOf({ text, path }: Byline, baseUrl: string) {
  return { '@type': 'Person', name: text, ...(path === null ? {} : { url: `${baseUrl}${path}` }) }
}

function textOf(html: string): string {
  return [...plainText(html)].slice(0, MAX_TEXT_LENGTH).join('')
}
