import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { SMTPServer } from 'smtp-server'
import { serveReference } from '../speed/child.ts'

/** What has arrived, by subject: how many, and when the last one came in milliseconds since 1970. */
export type Arrivals = Readonly<Record<string, { readonly count: number; readonly lastAt: number }>>

/** A mail server in a process of its own, which keeps nothing but figures. It tells them each tenth of a second. */
serveReference(async () => {
  const arrivals: Record<string, { count: number; lastAt: number }> = {}
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], logger: false },
    onData: (stream, _session, done) => {
      subjectOf(stream).then((subject) => {
        const { count } = arrivals[subject] ?? { count: 0 }
        arrivals[subject] = { count: count + 1, lastAt: Date.now() }
        done()
      }, done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  setInterval(() => process.send?.(arrivals), 100)
  return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
})

async function subjectOf(stream: Readable): Promise<string> {
  let head = ''
  for await (const chunk of stream) if (head.length < 10_000) head += String(chunk)
  const subject = /^Subject: (.*(?:\r\n[ \t].*)*)/im.exec(head)?.[1] ?? ''
  // RFC 2047, as far as our subjects go.
  return subject.replaceAll(/=\?UTF-8\?Q\?(.*?)\?=\s*/gi, (_part, text: string) =>
    decodeURIComponent(text.replaceAll('_', ' ').replaceAll('%', '%25').replaceAll('=', '%')),
  )
}
