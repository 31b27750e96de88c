import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedIn } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import { anAnswer } from '../testing/posts.ts'
import { sendForm } from './client.ts'
import { type Claim, equal, type Fault, type Ground, none } from './fault.ts'
import { countersHold } from './kept.ts'
import { aWorld } from './world.ts'

const PEOPLE = 100
const EACH = 10
const TRIES = 30

export const votesBackAndForth: Fault = {
  name: 'votes-back-and-forth',
  fault: '1,000 parallel votes by 100 people on one answer, toggling',
  done: `${PEOPLE} people at once, each with ${EACH - 1} votes at once, for and back, then one more; two processes`,
  wanted: 'count = people whose last word is "vote"',
  isQuick: false,
  run: voteBackAndForth,
}

async function voteBackAndForth(ground: Ground): Promise<Claim[]> {
  const { db, url, forum, people } = await aWorld(ground, { people: PEOPLE })
  const other = await startForum(ground.end, url)
  const answer = await anAnswer(db)
  const voters = people.slice(0, PEOPLE)
  const vote = async (person: SignedIn, number: number, value: string) => {
    const to = number % 2 === 0 ? forum.url : other.url
    return (await sendForm(to, person, `/answers/${answer.id}/votes`, { value })).status
  }
  const statuses = await Promise.all(
    voters.map(async (person, index) => {
      const many = await Promise.all(
        Array.from({ length: EACH - 1 }, (_, number) => vote(person, index + number, String(number % 2))),
      )
      return [...many, ...(await insist(() => vote(person, index, lastWord(index))))]
    }),
  )
  const strange = statuses.flat().filter((status) => status !== 303 && status !== 503)
  const wanted = voters.filter((_person, index) => lastWord(index) === '1').length
  const { votes_count } = await db
    .selectFrom('answers')
    .select('votes_count')
    .where('id', '=', answer.id)
    .executeTakeFirstOrThrow()
  return [
    none(
      'votes answered with anything but 303, or 503 to be sent again',
      strange.map(String),
      statuses.flat().length,
    ),
    equal(`votes counted, of ${wanted} people whose last word is "vote"`, votes_count, wanted),
    await countersHold(db),
  ]
}

/** Every third one takes it back. */
const lastWord = (index: number) => (index % 3 === 0 ? '0' : '1')

/** The last word is sent until it is taken, as people do who are told to try again. @returns all statuses */
async function insist(send: () => Promise<number>): Promise<number[]> {
  const statuses = [await send()]
  while (statuses.at(-1) === 503 && statuses.length < TRIES) {
    await sleep(1000)
    statuses.push(await send())
  }
  return statuses
}
