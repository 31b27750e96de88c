import type { ImportTally } from '../../exchange/import-tally.ts'
import { foreignHtml, type Leads } from '../foreign-html.ts'
import { foreignMarkdown } from '../foreign-markdown.ts'
import { escaped, plainHtml } from '../source-fields.ts'
import type { Activity } from './moodle-backup.ts'

/** The numbers of `messageformat`: what isn't one of them is HTML. */
const [AUTO, PLAIN, MARKDOWN] = [0, 2, 4]
const PLACED = '@@PLUGINFILE@@/'

/** What texts of a backup lead to. */
export interface MoodleLeads {
  /** Of the site, without `/` at its end. */
  readonly site: string
  /** The address in the export of a discussion, or of a post in it; null: it doesn't come along. */
  post(kind: Activity['kind'], discussion: string, post: string | null): string | null
  /** A picture of the post itself, by its name; null: it is not there. */
  own(name: string): string | null
  /** A picture elsewhere. */
  picture(url: string): string
}

/** @param attached names of pictures to show below */
export async function moodleText(
  { message, format, attached }: { message: string; format: number; attached: readonly string[] },
  moodle: MoodleLeads,
  tally: ImportTally,
): Promise<string> {
  const leads: Leads = {
    link: (href) => {
      const { kind, discussion, post } = placeOf(href, moodle.site) ?? {}
      return kind === undefined || discussion === undefined
        ? null
        : moodle.post(kind, discussion, post ?? null)
    },
    picture: (src) => {
      if (!src.startsWith(PLACED)) return /^https?:\/\//i.test(src) ? moodle.picture(src) : null
      const own = moodle.own(decoded(src.slice(PLACED.length).replace(/\?.*$/, '')))
      if (own === null) tally.note('pictures that are not in the backup, or too large: left out')
      return own
    },
  }
  const below = attached.map((name) => ({ name, src: `${PLACED}${encodeURIComponent(name)}` }))
  if (format === MARKDOWN) {
    const pictures = below.map(({ src }) => `\n\n![](${src})`).join('')
    return foreignMarkdown(message + pictures, leads)
  }
  const pictures = below.map(({ name, src }) => `<p><img src="${src}" alt="${escaped(name)}"></p>`).join('')
  return foreignHtml(linked(htmlOf(message, format), moodle.site) + pictures, leads, tally)
}

function htmlOf(message: string, format: number): string {
  if (format === PLAIN) return plainHtml(message.trim())
  return format === AUTO && !/<(?:p|div|br|ul|ol|pre|table|blockquote)\b/i.test(message)
    ? brokenUp(message)
    : message
}

const brokenUp = (text: string) => text.trim().replace(/\r?\n/g, '<br>')

const TOKEN = String.raw`\$@FORUMDISCUSSIONVIEW(?:INSIDE)?\*\d+(?:\*\d+)?@\$`

const PAGE = String.raw`/mod/(?:forum/discuss|moodleoverflow/discussion)\.php\?[\w=&;]+(?:#p\d+)?`

/** What stands in a text for an address of the site becomes a link, unless it is in one. */
function linked(html: string, site: string): string {
  const typed = `${site.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}${PAGE}`
  const pattern = new RegExp(
    `(?<!["'])(?:${site === '' ? TOKEN : `${TOKEN}|${typed}`})(?![^<]{0,1000}</a>)`,
    'g',
  )
  return html.replace(pattern, (token) => {
    const place = placeOf(token, site)
    return place === null ? token : `<a href="${token}">${escaped(addressAt(place, site))}</a>`
  })
}

interface Place {
  readonly kind: Activity['kind']
  readonly discussion: string
  readonly post: string | null
}

const addressAt = ({ kind, discussion, post }: Place, site: string) =>
  `${site}/mod/${kind === 'forum' ? 'forum/discuss' : 'moodleoverflow/discussion'}.php?d=${discussion}${post === null ? '' : `#p${post}`}`

/** Where an address of the site leads: as a backup writes it, whole, or within the site. */
function placeOf(href: string, site: string): Place | null {
  const [token, discussion, post] =
    /^\$@FORUMDISCUSSIONVIEW(?:INSIDE)?\*(\d{1,15})(?:\*(\d{1,15}))?@\$/.exec(href) ?? []
  if (token !== undefined && discussion !== undefined)
    return { kind: 'forum', discussion, post: post ?? null }
  const path = site !== '' && href.startsWith(`${site}/`) ? href.slice(site.length) : href
  const [, kind, query = '', at] =
    /^(?:\/mod\/(forum|moodleoverflow)\/)?discuss(?:ion)?\.php\?([^#]*)(?:#p(\d{1,15}))?$/.exec(path) ?? []
  const asked = new URLSearchParams(query.replaceAll('&amp;', '&'))
  const number = asked.get('d')
  if (number === null || !/^\d{1,15}$/.test(number)) return null
  const parent = asked.get('parent')
  return {
    kind: kind === 'moodleoverflow' || /^discussion\.php/.test(path) ? 'moodleoverflow' : 'forum',
    discussion: number,
    post: at ?? (parent !== null && /^\d{1,15}$/.test(parent) ? parent : null),
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
