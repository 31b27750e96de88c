import { Agent, request } from 'node:http'
import { Random } from '../../generate/random.ts'
import { Zipf } from '../../generate/zipf.ts'
import type { SignedIn } from './people.ts'
import { answerText, formOf } from './posting.ts'

/** Writes during the reads: answers, votes and edits, at an even pace, on the pages that are read. */
export interface Writer {
  /**
   * @returns the number of writes.
   * @throws Error when one was refused
   */
  stop(): Promise<number>
}

/** Of ten writes six are answers, three are votes, and one edits an answer. */
const ACTS = [
  'answer',
  'answer',
  'vote',
  'answer',
  'edit',
  'answer',
  'vote',
  'answer',
  'vote',
  'answer',
] as const

interface Answer {
  readonly id: string
  readonly author: SignedIn
}

/** @param questionIds most popular first: writes follow the same distribution as reads */
export function startWriting(
  url: string,
  people: readonly SignedIn[],
  questionIds: readonly number[],
  perSecond: number,
): Writer {
  const agent = new Agent({ keepAlive: true })
  const random = new Random(9)
  const zipf = new Zipf(questionIds.length)
  const answers: Answer[] = []
  const failures: unknown[] = []
  const underWay = new Set<Promise<void>>()
  let count = 0
  const write = async (act: (typeof ACTS)[number]) => {
    const author = random.pick(people)
    const question = questionIds[zipf.draw(random)] ?? 0
    const edited = act === 'edit' ? answers.shift() : undefined
    if (edited !== undefined)
      await post(url, agent, edited.author, `/answers/${edited.id}/edit`, {
        body: answerText(),
        // Each answer is edited once.
        version: '1',
      })
    else if (act === 'vote') await post(url, agent, author, `/questions/${question}/votes`, { value: '1' })
    else {
      const location = await post(url, agent, author, `/questions/${question}/answers`, {
        body: answerText(),
      })
      answers.push({ id: location.replace(/^.*#answer-/, ''), author })
    }
  }
  const timer = setInterval(() => {
    const writing = write(ACTS[count++ % ACTS.length] ?? 'answer').catch((error) => void failures.push(error))
    underWay.add(writing)
    void writing.finally(() => underWay.delete(writing))
  }, 1000 / perSecond)
  return {
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
      agent.destroy()
      if (failures.length > 0) throw failures[0]
      return count
    },
  }
}

/**
 * Submits a form.
 * @returns the path it redirects to.
 * @throws Error when it was refused, except a vote for one's own post
 */
export function post(
  url: string,
  agent: Agent,
  person: SignedIn,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const { method, headers, body } = formOf(person, path, fields)
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { method, headers, agent })
    asked.once('error', reject)
    asked.once('response', (answer) => {
      answer.resume().once('end', () => {
        const isTaken = answer.statusCode === 303 || (answer.statusCode === 403 && path.endsWith('/votes'))
        if (isTaken) resolve(answer.headers.location ?? '')
        else reject(new Error(`POST ${path} answered ${answer.statusCode}`))
      })
    })
    asked.end(body)
  })
}
