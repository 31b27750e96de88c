import { plainText } from '../../text/plain.ts'
import { answerPath, coursePath, personPath, questionPath } from '../../web/paths.ts'
import type { QuestionTree } from './tree.ts'

/** Maximum answers: more would tell a search engine nothing new, and cost every reader bandwidth. */
const MAX_ANSWERS = 10
const MAX_TEXT_LENGTH = 1000

/**
 * A question page as structured data: schema.org QAPage and BreadcrumbList, as the text of a `<script
 * type="application/ld+json">`. Every `<` is escaped, so that no text can end the script.
 */
export function structuredData(tree: QuestionTree, baseUrl: string): string {
  const url = `${baseUrl}${questionPath(tree)}`
  const page = {
    '@context': 'https://schema.org',
    '@graph': [questionPage(tree, baseUrl, url), breadcrumbs(tree, baseUrl, url)],
  }
  return JSON.stringify(page).replaceAll('<', '\\u003c')
}

function questionPage(tree: QuestionTree, baseUrl: string, url: string) {
  const answers = tree.answers.slice(0, MAX_ANSWERS)
  const toAnswer = (answer: QuestionTree['answers'][number]) => ({
    '@type': 'Answer',
    text: textOf(answer.body_html),
    url: `${baseUrl}${answerPath(tree, answer.id)}`,
    upvoteCount: answer.votes_count,
    dateCreated: new Date(answer.written_at).toISOString(),
    author: author(answer, baseUrl),
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
      author: author(tree, baseUrl),
      ...(accepted === undefined ? {} : { acceptedAnswer: toAnswer(accepted) }),
      ...(suggested.length === 0 ? {} : { suggestedAnswer: suggested.map(toAnswer) }),
    },
  }
}

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

function author(post: { author_id: number; display_name: string }, baseUrl: string) {
  const path = personPath({ id: post.author_id, displayName: post.display_name })
  return { '@type': 'Person', name: post.display_name, url: `${baseUrl}${path}` }
}

function textOf(html: string): string {
  return [...plainText(html)].slice(0, MAX_TEXT_LENGTH).join('')
}
