import { table } from '../text/markdown-table.ts'
import { machineSection } from './machine.ts'
import { consistencyPart } from './speed/consistency.ts'
import { coresPart } from './speed/cores.ts'
import { GOAL_HEAD, goalRow } from './speed/goals.ts'
import { type Ground, type SpeedOptions, withGround } from './speed/ground.ts'
import { CONNECTIONS } from './speed/load.ts'
import { type Part, readersPart } from './speed/readers.ts'
import { footprintPart, freshnessPart } from './speed/rest.ts'
import { answersPart, signedInPart } from './speed/signed-in.ts'

/**
 * By the names `--only` takes. In this order: whoever wrote under a question gets pages of their own from then on, and writes
 * that many as the last are make a forum another one.
 */
const PARTS: Readonly<Record<string, (ground: Ground) => Promise<Part>>> = {
  people: signedInPart,
  visitors: readersPart,
  workers: coresPart,
  process: footprintPart,
  stale: freshnessPart,
  consistency: consistencyPart,
  answers: answersPart,
}

/** How fast pages are served and answers taken, beside references on the same machine, a section of Markdown for each size. */
export async function speedSections(options: SpeedOptions, say: (line: string) => void): Promise<string[]> {
  const sections: string[] = []
  for (const size of options.sizes) sections.push(await withGround(size, options, say, sectionOf))
  return sections
}

async function sectionOf(ground: Ground): Promise<string> {
  const machine = await machineSection(ground.db)
  const parts: Part[] = []
  for (const [name, partOf] of Object.entries(PARTS)) {
    if (ground.options.only.length === 0 || ground.options.only.includes(name))
      parts.push(await partOf(ground))
  }
  return [
    `## ${ground.size.toLocaleString('en')} questions`,
    `${machine}\n- ${runs(ground.options)}\n- pages asked for by ${ground.wrk === null ? 'autocannon' : 'wrk'}, forms sent by autocannon`,
    table(
      GOAL_HEAD,
      parts.flatMap((part) => part.goals.map(goalRow)),
    ),
    ...parts.map((part) => part.text),
  ].join('\n\n')
}

function runs({ seconds, rounds }: SpeedOptions): string {
  return `${seconds} s a run, the median of ${rounds} by turns with the references after one run of each to get warm`
}

/** What stands above the sections of all sizes. */
export const INTRODUCTION = `Written by \`npm run bench -- speed\`. Forums as \`npm start\` runs them in production, on databases made by \`npm run handup -- generate\`; load from the same machine, ${CONNECTIONS} connections; what is compared was measured by turns, and is the median over the turns. What is asked for is spread over 3,000 questions and 300 lists by Zipf’s law, as Chromium asks (\`accept-encoding: gzip, deflate, br, zstd\`); all visitors are one browser, whose views were counted before. Processor time is what the server itself used, its children included and PostgreSQL not: where it is far less than the time a request took, the load generator is what limits. Of writes, 6 of 10 are answers, 3 votes, 1 edits, all through their forms. A size measured again replaces its section, and no other.`
