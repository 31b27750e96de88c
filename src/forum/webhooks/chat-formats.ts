import type { ChatMessage } from './chat.ts'

/** What a chat's service takes, by kind of webhook. */
export const CHAT_FORMATS = { slack: slackMessage, discord: discordMessage, teams: teamsMessage } as const

export type ChatKind = keyof typeof CHAT_FORMATS

/** Characters (UTF-16) of what people wrote: below the limits of each service, escaped too. */
const [TITLE, LISTED_TITLE, TEXT, PLACE, AUTHOR] = [250, 120, 500, 150, 100] as const

/**
 * Slack, https://docs.slack.dev/reference/block-kit/blocks: 50 blocks, 3,000 characters each. In `mrkdwn`, `&`, `<` and `>` are the
 * only characters with a meaning that calls somebody; `verbatim` makes no links and calls of what is typed.
 */
function slackMessage({ heading, place, questions, lines, link }: ChatMessage) {
  const linked = (text: string, url: string) => `<${url}|${forSlack(text)}>`
  const sections = [
    `*${forSlack(heading)}* · ${forSlack(cut(place, PLACE))}`,
    ...questions.flatMap(({ title, url, more }) => [
      linked(cut(title, TITLE), url) + (more === null ? '' : `\n${forSlack(cut(more.author, AUTHOR))}`),
      ...(more === null ? [] : [forSlack(cut(more.excerpt, TEXT))]),
    ]),
    ...lines.map(forSlack),
    linked(link.text, link.url),
  ]
  return {
    text: forSlack(summaryOf({ heading, place, questions })),
    blocks: sections
      .filter((text) => text !== '')
      .map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })),
    ...{ unfurl_links: false, unfurl_media: false },
  }
}

function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * Discord, https://discord.com/developers/docs/resources/webhook: content up to 2,000 characters, an embed's title up to 256, its
 * description up to 4,096, all embeds up to 6,000. `parse: []`: nobody is called, whatever is in the text.
 */
function discordMessage({ heading, place, questions, lines, link }: ChatMessage) {
  const content = `**${forDiscord(heading)}** · ${forDiscord(cut(place, PLACE))}`
  const listed = questions.map(({ title, url }) => `[${forDiscord(cut(title, LISTED_TITLE))}](${url})`)
  const [first] = questions
  const embed =
    first === undefined || first.more === null
      ? { title: link.text, url: link.url, description: [...listed, ...lines.map(forDiscord)].join('\n') }
      : {
          title: cut(first.title, TITLE),
          url: first.url,
          description: forDiscord(cut(first.more.excerpt, TEXT)),
          author: { name: cut(first.more.author, AUTHOR) },
        }
  return { content, embeds: [embed], allowed_mentions: { parse: [] } }
}

function forDiscord(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#:@-]/g, '\\$&')
}

/**
 * Microsoft Teams: an Adaptive Card for the address of a workflow, 28 KB. Runs of text have no Markdown.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
function teamsMessage({ heading, place, questions, lines, link }: ChatMessage) {
  const run = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style })
  const paragraph = (...inlines: readonly object[]) => ({ type: 'RichTextBlock', inlines })
  const opening = (url: string) => ({ selectAction: { type: 'Action.OpenUrl', url } })
  const body = [
    paragraph(run(heading, { weight: 'Bolder' }), run(` · ${cut(place, PLACE)}`)),
    ...questions.flatMap(({ title, url, more }) => [
      paragraph(run(cut(title, TITLE), opening(url))),
      ...(more === null ? [] : [paragraph(run(cut(more.author, AUTHOR), { isSubtle: true }))]),
      ...(more === null || more.excerpt === '' ? [] : [paragraph(run(cut(more.excerpt, TEXT)))]),
    ]),
    ...lines.map((line) => paragraph(run(line))),
  ]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', body },
    actions: [{ type: 'Action.OpenUrl', title: link.text, url: link.url }],
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/** What a phone shows of it. */
function summaryOf({
  heading,
  place,
  questions,
}: Pick<ChatMessage, 'heading' | 'place' | 'questions'>): string {
  const [first, second] = questions
  const title = first === undefined || second !== undefined ? '' : `: ${cut(first.title, TITLE)}`
  return `${heading} · ${cut(place, PLACE)}${title}`
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Characters that turn the direction of what follows, and scripts that are read from the right. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g
const FROM_RIGHT = /[\u0590-\u08FF\u200F\uFB1D-\uFDFF\uFE70-\uFEFC]/
/** First strong isolate, and its end: what is between turns nothing else. */
const [ISOLATE, END] = ['\u2068', '\u2069']

/** What somebody wrote, on one line of at most `length` UTF-16 units, cut between graphemes. */
function cut(written: string, length: number): string {
  const text = written.replace(TURNING, '').replace(/\s+/g, ' ').trim()
  const room = length - 2
  let shown = text
  if (text.length > room) {
    shown = ''
    for (const { segment } of graphemes.segment(text)) {
      if (shown.length + segment.length >= room) break
      shown += segment
    }
    shown += '…'
  }
  return FROM_RIGHT.test(shown) ? `${ISOLATE}${shown}${END}` : shown
}
