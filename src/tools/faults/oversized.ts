import type { SignedIn } from '../bench/speed/people.ts'
import { sendForm } from './client.ts'
import type { Claim, Fault, FaultContext } from './fault.ts'
import { answerOf, Sockets } from './sockets.ts'
import { asUsualDuring } from './usual-pages.ts'
import { aWorld } from './world.ts'

const REQUESTS = 10
const MEGABYTE = 2 ** 20

export const oversized: Fault = {
  name: 'oversized',
  fault: '1 MB of headers, huge or deeply nested forms',
  done: `each ${REQUESTS} times at once: 1 MB of headers, a form of 20 MB with and without Content-Length, 100,000 fields, fields nested 1,000 deep by their names, Markdown nested 10,000 deep`,
  wanted:
    'each is refused with the right status, cut off while it still sends, or bounded; others are served as usual; bounded memory',
  isQuick: true,
  run: sendTooMuch,
}

async function sendTooMuch(context: FaultContext): Promise<Claim[]> {
  const world = await aWorld(context)
  const { forum, people, question } = world
  const [person] = people
  if (person === undefined) throw new Error('nobody is there')
  const path = `/questions/${question.id}/answers`
  const raw = rawSender(context, forum.url, path, person)
  const form = async (fields: Readonly<Record<string, string>>) =>
    String((await sendForm(forum.url, person, path, fields)).status)
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, number) => [`f${number}`, '']))
  const { result, claims } = await asUsualDuring(context, world, async () => [
    await answers('1 MB of headers', ['431'], () => raw(`X-Much: ${'x'.repeat(MEGABYTE)}\r\n\r\n`)),
    await answers('a form of 20 MB', ['413'], () =>
      raw(`Content-Length: ${20 * MEGABYTE}\r\n\r\n${'x'.repeat(MEGABYTE)}`),
    ),
    // A client that is still sending when the connection is closed may not receive the status.
    await answers('a form of 20 MB, without Content-Length', ['413', CUT], () =>
      raw(`Transfer-Encoding: chunked\r\n\r\n${`100000\r\n${'x'.repeat(MEGABYTE)}\r\n`.repeat(20)}`),
    ),
    await answers('100,000 fields', ['413'], () => form(many)),
    await answers('fields nested by their names', ['422'], () =>
      form({ [`body${'[a]'.repeat(1000)}`]: 'x' }),
    ),
    await answers('Markdown nested 10,000 deep', ['303'], () => form({ body: `${'> '.repeat(10_000)}deep` })),
  ])
  return [...result, ...claims]
}

/** Sends all of them at once. Holds when every outcome is an expected one; reports all outcomes. */
async function answers(name: string, wanted: readonly string[], send: () => Promise<string>): Promise<Claim> {
  const came = await Promise.all(Array.from({ length: REQUESTS }, send))
  const kinds = [...new Set(came)].toSorted()
  const told = kinds.map((kind) => `${kind} (${came.filter((one) => one === kind).length} of ${REQUESTS})`)
  return {
    claim: `${name}: answered with`,
    measured: kinds.length === 1 ? kinds.join() : told.join(', '),
    holds: kinds.every((kind) => wanted.includes(kind)),
  }
}

/** Outcomes without a status: the connection was closed, or nothing happened. */
const CUT = 'a cut connection'
const SILENCE = 'silence'

/** @returns a function that sends the rest of a raw request, and returns its status, CUT or SILENCE */
function rawSender({ end }: FaultContext, url: string, path: string, { cookie }: SignedIn) {
  const sockets = new Sockets(end)
  return async (rest: string): Promise<string> => {
    const head = `POST ${path} HTTP/1.1\r\nHost: forum\r\nCookie: ${cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n`
    const socket = await sockets.connect(Number(new URL(url).port))
    const answer = answerOf(socket, 8000)
    socket.write(head + rest)
    const { text, isOver } = await answer
    return /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? (isOver ? CUT : SILENCE)
  }
}
