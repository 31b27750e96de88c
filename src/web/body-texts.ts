import type { FastifyInstance } from 'fastify'
import { withoutBlankEnds } from '../operations/fields.ts'
import { Problem } from '../operations/problem.ts'
import { hasForbidden, normalize } from '../text/characters.ts'
import { prepareMarkdown } from '../text/markdown.ts'
import { NotDone } from '../text/thread/thread.ts'
import { typedFields } from './form.ts'

/** Fields of forms that hold Markdown. */
const MARKDOWN = ['body', 'merged', 'description']
/** UTF-16 units: longer texts are refused by every form, none of which renders them. */
const MAX_LENGTH = 60_000

/**
 * Has the Markdown of forms rendered in a thread, before the routes read it: the longest takes longer than others may be kept
 * waiting, and what is rendered in a transaction holds its locks. After tokens and limits were checked.
 */
export function registerBodyTexts(app: FastifyInstance): void {
  app.addHook('preHandler', async (request) => {
    if (request.method !== 'POST' || request.person === null) return
    const fields = typedFields(request.body)
    const texts = MARKDOWN.flatMap((name) => markdownOf(fields[name] ?? ''))
    if (texts.length === 0) return
    await prepareMarkdown(texts, request.person.id).catch((error: unknown) => {
      throw error instanceof NotDone ? new Problem('unavailable', 5) : error
    })
  })
}

/** A text as the forms take it (fields.ts); none where no form takes it. */
function markdownOf(value: string): string[] {
  if (value.length > MAX_LENGTH || !value.isWellFormed()) return []
  if (hasForbidden(value.replaceAll('\r\n', '\n'), { multiline: true })) return []
  return [withoutBlankEnds(normalize(value))]
}
