import type { AddressInfo } from 'node:net'
import { atEnd, type Ending } from '../../../testing/at-end.ts'
import { createServer } from '../../../web/transport/node-http.ts'

/** Requests that a fake endpoint got. */
export interface AskedEndpoint {
  readonly model: string
  readonly input: readonly string[]
  readonly authorization: string | undefined
}

/** Texts of cars are alike whatever their words, and so are those of cats. */
const SUBJECTS = [/\b(?:car|automobile|vehicle)/i, /\b(?:cat|kitten)/i]

/**
 * An OpenAI-compatible endpoint on this machine, which knows two subjects. `answer` replaces what it answers; null: nothing, ever. It
 * refuses requests with a text of more than `most` characters.
 */
export async function aFakeEndpoint(test: Ending) {
  const asked: AskedEndpoint[] = []
  const fake = { answer: undefined as string | null | undefined, most: Number.POSITIVE_INFINITY }
  const server = createServer((request, reply) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { model, input } = JSON.parse(Buffer.concat(parts).toString()) as AskedEndpoint
      asked.push({ model, input, authorization: request.headers.authorization })
      if (fake.answer === null) return
      if (input.some((text) => text.length > fake.most)) {
        reply.writeHead(413).end('{"error":"too many tokens"}')
        return
      }
      // Not in their order: the index says which is which.
      const data = input
        .map((text, index) => ({
          index,
          embedding: [0.1, ...SUBJECTS.map((subject) => (subject.test(text) ? 3 : 0))],
        }))
        .reverse()
      reply.end(fake.answer ?? JSON.stringify({ data }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(test, async () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://a%2Fkey@127.0.0.1:${port}/v1/embeddings?model=small`,
    fake,
    asked,
    /** All texts that it ever got. */
    texts: () => asked.flatMap(({ input }) => input),
  }
}
