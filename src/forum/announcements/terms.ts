import { Task } from '../../text/thread/thread.ts'
import { documentVector } from '../search/document.ts'

/** UTF-16 units of Markdown whose terms are made where they are needed, in 20 ms at most. */
const MAX_AT_ONCE = 10_000
const making = new Task<typeof documentVector>(
  new URL('../search/document.ts', import.meta.url),
  'documentVector',
)

/** What an announcement or an entry of the FAQ is found by, of a long text made in a thread. @throws NotDone */
export async function termsOfNews({
  title,
  body,
}: {
  readonly title: string
  readonly body: string
}): Promise<string> {
  const document = { title, tags: [], acceptedAnswer: null, others: [body] }
  return body.length > MAX_AT_ONCE ? making.call(document) : documentVector(document)
}
