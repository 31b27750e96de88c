import { anAnswer } from '../../testing/posts.ts'
import type { SignedIn } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import { insist, sendForm } from './client.ts'
import { type Claim, equal, type Fault, type FaultContext, none } from './fault.ts'
import { countersHold } from './kept.ts'
import { aWorld } from './world.ts'

const PEOPLE_COUNT = 100
const VOTES_EACH = 10

export const votesBackAndForth: Fault = {
  name: 'votes-back-and-forth',
  fault: '1,000 parallel votes by 100 people on one answer, toggling',
  done: `${PEOPLE_COUNT} people at once, each with ${VOTES_EACH - 1} votes at once, for and back, then one more; two processes`,
  wanted: 'count = people whose last form was a vote',
  isQuick: false,
  run: voteBackAndForth,
}

async function voteBackAndForth(context: FaultContext): Promise<Claim[]> {
  const { db, url, forum, people } = await aWorld(context, { people: PEOPLE_COUNT })
  const other = await startForum(context.end, url)
  const answer = await anAnswer(db)
  const voters = people.slice(0, PEOPLE_COUNT)
  const vote = (person: SignedIn, number: number, value: string) => {
    const to = number % 2 === 0 ? forum.url : other.url
    return sendForm(to, person, `/answers/${answer.id}/votes`, { value })
  }
  const answers = await Promise.all(
    voters.map(async (person, index) => {
      const many = await Promise.all(
        Array.from({ length: VOTES_EACH - 1 }, (_, number) =>
          vote(person, index + number, String(number % 2)),
        ),
      )
      return [...many, ...(await insist(() => vote(person, index, lastWord(index))))]
    }),
  )
  const statuses = answers.flat().map(({ status }) => status)
  const strange = statuses.filter((status) => status !== 303 && status !== 503)
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
      statuses.length,
    ),
    equal(`votes counted, of ${wanted} people whose last word is "vote"`, votes_count, wanted),
    await countersHold(db),
  ]
}

/** Every third one is taken back. */
const lastWord = (index: number) => (index % 3 === 0 ? '0' : '1')
