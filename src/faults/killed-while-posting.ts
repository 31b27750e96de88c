import { setTimeout as sleep } from 'node:timers/promises'
import { startForum } from '../bench/speed/processes.ts'
import { sendForm } from './client.ts'
import { atLeast, type Claim, type Fault, type Ground, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { newText, note, type Sent } from './traffic.ts'
import { aWorld } from './world.ts'

const POSTS = 200
/** Answers that have come when the process is killed. */
const FIRST = 40
const ROUNDS = 5

export const killedWhilePosting: Fault = {
  name: 'killed-while-posting',
  fault: 'the app killed (SIGKILL) during 200 parallel posts',
  done: `${POSTS} answers sent at once by 20 people; SIGKILL as soon as ${FIRST} of them were acknowledged; a new process; each form sent again`,
  wanted:
    'acknowledged posts are there once, the others at most once; sent again, each is there once; counters equal what is counted',
  isQuick: true,
  run: killWhilePosting,
}

async function killWhilePosting(ground: Ground): Promise<Claim[]> {
  const { db, url, forum, people, question } = await aWorld(ground)
  const path = `/questions/${question.id}/answers`
  let arrived = 0
  const posts = Array.from({ length: POSTS }, (_, index) => ({
    person: people[index % people.length] ?? people[0],
    text: newText(),
  }))
  const send = (to: string) => (post: (typeof posts)[number]) =>
    note('write', post.text, async () => {
      if (post.person === undefined) throw new Error('nobody is there')
      const answer = await sendForm(to, post.person, path, { body: post.text })
      arrived += 1
      if (arrived === FIRST) forum.kill('SIGKILL')
      return answer
    })
  const sent: Sent[] = await Promise.all(posts.map(send(forum.url)))
  await forum.ended
  const unanswered = sent.filter(({ status }) => status === null).length
  ground.say(`${POSTS - unanswered} were acknowledged, ${unanswered} were not`)
  await sleep(500)
  const before = await nothingLost(db, sent)
  const next = await startForum(ground.end, url)
  const { again, left } = await sendUntilTaken(posts, send(next.url))
  return [
    atLeast('posts the kill left without an answer', unanswered, 1),
    ...before,
    none(`posts not taken when sent again, ${ROUNDS} times at the most`, left, POSTS),
    ...(await nothingLost(db, again)).slice(0, 2),
  ]
}

/** As people do who are told to try again in a moment. */
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
