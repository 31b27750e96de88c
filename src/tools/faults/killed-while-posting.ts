import { setTimeout as sleep } from 'node:timers/promises'
import { startForum } from '../bench/speed/processes.ts'
import { sendForm } from './client.ts'
import { atLeast, type Claim, type Fault, type FaultContext, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { newText, note, type Sent } from './traffic.ts'
import { aWorld } from './world.ts'

const POSTS_COUNT = 200
/** Number of responses after which the process is killed. */
const KILLED_AFTER = 40
const ROUNDS = 5

export const killedWhilePosting: Fault = {
  name: 'killed-while-posting',
  fault: 'the app killed (SIGKILL) during 200 parallel posts',
  done: `${POSTS_COUNT} answers sent at once by 20 people; SIGKILL as soon as ${KILLED_AFTER} of them were acknowledged; a new process; each form sent again`,
  wanted:
    'acknowledged posts are there once, the others at most once; sent again, each is there once; counters equal what is counted',
  isQuick: true,
  run: killWhilePosting,
}

async function killWhilePosting(context: FaultContext): Promise<Claim[]> {
  const { db, url, forum, people, question } = await aWorld(context)
  const path = `/questions/${question.id}/answers`
  let arrived = 0
  const posts = Array.from({ length: POSTS_COUNT }, (_, index) => ({
    person: people[index % people.length] ?? people[0],
    text: newText(),
  }))
  const send = (to: string) => (post: (typeof posts)[number]) =>
    note('write', post.text, async () => {
      if (post.person === undefined) throw new Error('nobody is there')
      const answer = await sendForm(to, post.person, path, { body: post.text })
      arrived += 1
      if (arrived === KILLED_AFTER) forum.kill('SIGKILL')
      return answer
    })
  const sent: Sent[] = await Promise.all(posts.map(send(forum.url)))
  await forum.ended
  const unanswered = sent.filter(({ status }) => status === null).length
  context.say(`${POSTS_COUNT - unanswered} were acknowledged, ${unanswered} were not`)
  await sleep(500)
  const before = await nothingLost(db, sent)
  const next = await startForum(context.end, url)
  const { again, left } = await sendUntilTaken(posts, send(next.url))
  return [
    atLeast('posts the kill left without an answer', unanswered, 1),
    ...before,
    none(`posts not taken when sent again, ${ROUNDS} times at the most`, left, POSTS_COUNT),
    ...(await nothingLost(db, again)).slice(0, 2),
  ]
}

/** Retries, as people are told to. */
async function sendUntilTaken<Post>(posts: readonly Post[], send: (post: Post) => Promise<Sent>) {
  const again: Sent[] = []
  let waiting = posts
  let last: Sent[] = []
  for (let round = 0; round < ROUNDS && waiting.length > 0; round += 1) {
    last = await Promise.all(waiting.map(send))
    again.push(...last)
    waiting = waiting.filter((_post, index) => last[index]?.status !== 303)
  }
  const refused = last.filter(({ status }) => status !== 303)
  return { again, left: refused.map(({ status, failure }) => failure ?? String(status)) }
}
