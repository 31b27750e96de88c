import { getPage, getPageAs, sendForm } from './client.ts'
import { passableFolder } from './databases.ts'
import { type Claim, type Fault, type FaultContext, none } from './fault.ts'
import { countersHold } from './kept.ts'
import { startServer } from './server.ts'
import { aShiftedClock, serverWithClock } from './shifted-clock.ts'
import { newText } from './traffic.ts'
import { aWorld, type World } from './world.ts'

const HOUR_SECONDS = 3600

export const clockJumps: Fault = {
  name: 'clock-jumps',
  fault: 'clock jumps an hour either way',
  done: 'the clock of the forum, of PostgreSQL and of both put an hour forward, back to the true time, an hour back and to the true time again (libfaketime), while they run; before and after each jump a form that was open is sent, a page opened, and one person searches beyond the limit',
  wanted: 'sessions, limits and order of posts stay sane',
  isQuick: false,
  run: jump,
}

async function jump(context: FaultContext): Promise<Claim[]> {
  const folder = await passableFolder(context.end)
  const [ours, theirs] = [
    await aShiftedClock(folder, 'forum-clock'),
    await aShiftedClock(folder, 'server-clock'),
  ]
  const native = await serverWithClock(folder, theirs)
  const server = await startServer(context.end, await passableFolder(context.end), { native })
  const world = await aWorld(context, { database: server, variables: ours.variables })
  const look = new Look(world)
  await look.around('at first')
  for (const [who, clocks] of [
    ['the forum', [ours]],
    ['PostgreSQL', [theirs]],
    ['both', [ours, theirs]],
  ] as const) {
    for (const seconds of [HOUR_SECONDS, 0, -HOUR_SECONDS, 0]) {
      for (const clock of clocks) await clock.set(seconds)
      await look.around(`${who} at ${seconds / HOUR_SECONDS} h`)
    }
  }
  return [
    none('pages and forms not served', look.failures, look.count),
    none('people who have to wait longer than a minute more than is limited', look.waits),
    none('answers not shown in the order they were posted in', await look.misplaced()),
    await countersHold(world.db),
  ]
}

/** A person who reads, writes and searches. */
class Look {
  readonly failures: string[] = []
  readonly waits: string[] = []
  count = 0
  private readonly world: World
  private readonly posted: string[] = []

  constructor(world: World) {
    this.world = world
  }

  async around(moment: string): Promise<void> {
    const { forum, people, question } = this.world
    for (const person of people.slice(0, 3)) {
      const page = await getPage(forum.url, '/settings', person)
      if (page.status !== 200) this.failures.push(`${moment}: /settings answered ${page.status}`)
      const text = newText()
      const answer = await sendForm(forum.url, person, `/questions/${question.id}/answers`, { body: text })
      if (answer.status === 303) this.posted.push(text)
      else this.failures.push(`${moment}: an answer was answered with ${answer.status}`)
      this.count += 2
    }
    await this.search(moment)
  }

  /** Until the rate limit: 240 per minute. */
  private async search(moment: string): Promise<void> {
    const cookie = this.world.people[4]?.cookie ?? ''
    for (let number = 0; number < 250; number += 1) {
      const { status, headers } = await getPageAs(this.world.forum.url, '/search?q=token', { cookie })
      if (status !== 429) continue
      const wait = Number(headers['retry-after'])
      if (!(wait <= 120)) this.waits.push(`${moment}: ${wait} s`)
      return
    }
  }

  async misplaced(): Promise<string[]> {
    const { forum, question, people } = this.world
    const page = await getPage(forum.url, `${question.path}?answers=oldest`, people[0] ?? null)
    const places = this.posted.map((text) => page.body.indexOf(`${text}<`))
    return this.posted.filter((_text, index) => (places[index] ?? -1) <= (places[index - 1] ?? 0))
  }
}
