import type { ImportTally } from '../../exchange/import-tally.ts'
import { addressOf } from '../../exchange/references.ts'
import { foreignHtml } from '../foreign-html.ts'
import type { Conversion } from '../source.ts'

/** What the posts of all topics are, by their ids. */
export interface CanvasIndex {
  readonly topics: Set<string>
  readonly entries: Map<string, 'answer' | 'reply'>
}

/** `…/courses/7/discussion_topics/12?entry_id=34`, or `#entry-34`; of groups too. */
const ADDRESS =
  /^(?:https?:\/\/[^/?#]+)?\/(?:courses|groups)\/\d+\/discussion_topics\/(\d+)(?:\/?(?:\?entry_id=|#entry-)(\d+))?(?:[/?#&].*)?$/

/** The Markdown of a text of Canvas, with links to posts of these files leading to them. */
export function canvasMarkdown(
  html: string,
  index: CanvasIndex,
  { picture, tally }: Pick<Conversion, 'picture'> & { readonly tally: ImportTally },
): Promise<string> {
  const leads = {
    link(href: string) {
      const [, topic, entry = ''] = ADDRESS.exec(href) ?? []
      if (topic === undefined || !index.topics.has(topic)) return null
      const kind = index.entries.get(entry)
      return kind === undefined ? addressOf('question', topic) : addressOf(kind, entry)
    },
    picture: (src: string) => (/^https?:/i.test(src) ? picture(src) : null),
  }
  return foreignHtml(html, leads, tally)
}
