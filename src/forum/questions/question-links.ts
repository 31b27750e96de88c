import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { escapeText } from '../../text/escape.ts'
import type { PageContext } from '../../web/page.ts'
import { questionPath } from '../../web/paths.ts'
import { type ShownPost, withMentions } from '../mentions/show.ts'

/** A link of a post to a question, as the renderer writes it: host, path, id, the rest, words. */
const LINK =
  /<a href="(https?:\/\/[^"/]+)?(\/questions\/([1-9]\d{0,14})(?:\/[^"?#/]*)?)([?#][^"]*)?" rel="nofollow ugc noopener">([^<]*)<\/a>/g

/** Questions of one page that are looked up; links to more stay as they were typed. */
const MAX_LINKED = 100
/** More numbers of a post stay text. Posts of before have thousands (text/markdown/question-numbers.ts). */
const MAX_TITLES = 50
/** Characters by which titles make a page longer: one may be three thousand times as long as what was typed. */
const MAX_GROWTH = 40_000

/**
 * Links to our questions get their titles and states: `#12`, and addresses that stand alone. The number of one that the
 * viewer may not read, or that is gone or private, is text, as of one that does not exist.
 */
export async function withQuestionTitles(
  { t, db, config, viewer, rendering }: PageContext,
  htmls: readonly string[],
) {
  const ids = htmls.flatMap((html) => Array.from(html.matchAll(LINK), ([, , , id]) => Number(id)))
  const asked = [...new Set(ids)].slice(0, MAX_LINKED)
  if (asked.length === 0) return [...htmls]
  for (const id of asked) rendering?.dependsOn(`question:${id}`)
  const linked = await linkedQuestions(db, asked, viewer)
  // Made once, however often it stands on the page.
  const titled = new Map(
    linked.map((question) => {
      const state = t(question.status === 'resolved' ? 'status.resolved' : 'status.unresolved')
      const title = escapeText(`#${question.id} ${question.title} (${state})`)
      return [question.id, { path: questionPath(question), title }]
    }),
  )
  let growth = 0
  return htmls.map((html) => {
    let titles = 0
    return html.replace(
      LINK,
      (link, host: string | undefined, path: string, id: string, rest = '', words: string) => {
        if (host !== undefined && host !== config.baseUrl) return link
        const isNumber = words === `#${id}`
        const isBare = isNumber || decoded(words) === decoded(`${host ?? ''}${path}${rest}`)
        const question = titled.get(Number(id))
        if (question === undefined || titles >= MAX_TITLES) return isNumber ? words : link
        if (!isBare) return link
        const shown = `<a href="${question.path}${rest}" rel="nofollow ugc noopener">${question.title}</a>`
        if (growth + shown.length - link.length > MAX_GROWTH) return link
        growth += shown.length - link.length
        titles += 1
        return shown
      },
    )
  })
}

/** Words show an address decoded, as far as it can be. */
function decoded(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address
  }
}

function linkedQuestions(db: Database, ids: readonly number[], viewer: Actor | null) {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['q.id', 'q.title', 'q.status'])
    .where('q.id', 'in', ids)
    .where('q.is_listed', '=', true)
    .where(visibleTo(viewer))
    .execute()
}

/** The HTML of posts, in their order, with the names of people they mention and the titles of questions they link to. */
export async function shownHtml(context: PageContext, posts: readonly ShownPost[]): Promise<string[]> {
  return withQuestionTitles(context, await withMentions(context, posts))
}
