import { setTimeout as sleep } from 'node:timers/promises'
import { residentMegabytes } from '../bench/speed/processes.ts'
import { getPage } from './client.ts'
import { atLeast, atMost, type Claim, type FaultContext, none, timed } from './fault.ts'
import type { World } from './world.ts'

/** Maximum response time that still counts as normal, in milliseconds. */
const MAX_RESPONSE_MS = 2000
/** Maximum growth of a process that counts as bounded, in megabytes. */
const MAX_GROWTH_MB = 150

/** Requests regular pages and watches the process while a fault is caused. */
export async function asUsualDuring<Result>(
  context: FaultContext,
  { forum, people, question }: World,
  done: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly claims: Claim[] }> {
  const before = await largest(forum.pid)
  const [times, failures] = [[] as number[], [] as string[]]
  let [isStopping, most] = [false, before]
  const watch = async () => {
    for (let number = 0; !isStopping; number += 1) {
      const person = number % 2 === 0 ? null : (people[number % people.length] ?? null)
      const answer = await getPage(forum.url, question.path, person).catch((error: unknown) => String(error))
      if (typeof answer === 'string') failures.push(answer)
      else if (answer.status !== 200) failures.push(String(answer.status))
      else times.push(answer.milliseconds)
      most = Math.max(most, await largest(forum.pid))
      await sleep(20)
    }
  }
  const watching = watch()
  const result = await done().finally(async () => {
    isStopping = true
    await watching
  })
  const sorted = times.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  return {
    result,
    claims: [
      atLeast('pages others asked for meanwhile', times.length, 3),
      none('of these, not served', failures),
      ...timed(
        context,
        atMost(
          `slowest of these (median ${median.toFixed(0)} ms)`,
          sorted.at(-1) ?? 0,
          MAX_RESPONSE_MS,
          'ms',
        ),
      ),
      atMost(`growth of the process, from ${before.toFixed(0)} MB`, most - before, MAX_GROWTH_MB, 'MB'),
    ],
  }
}

/** Megabytes of the largest of a forum's processes; 0 where the system does not tell. */
async function largest(pid: number): Promise<number> {
  return Math.max(0, ...(await residentMegabytes(pid)))
}
