import { table } from '../../text/markdown-table.ts'
import { machineSection } from './machine.ts'
import { type BenchContext, type SpeedOptions, withBenchContext } from './speed/context.ts'
import { footprintPart } from './speed/footprint.ts'
import { GOAL_HEAD, goalRow } from './speed/goals.ts'
import { type Part, readersPart } from './speed/readers.ts'
import { answersPart, signedInPart } from './speed/signed-in.ts'

/**
 * Parts by the names of `--only`, in this order: people who have written get pages of their own from then on, and the
 * writes of the last parts change the forum.
 */
const PARTS: Readonly<Record<string, (context: BenchContext) => Promise<Part>>> = {
  people: signedInPart,
  visitors: readersPart,
  process: footprintPart,
  answers: answersPart,
}

/** Speed of pages and writes beside references on the same machine, a section of Markdown for each size. */
export async function speedSections(options: SpeedOptions, say: (line: string) => void): Promise<string> {
  const sections: string[] = []
  for (const size of options.sizes) sections.push(await withBenchContext(size, options, say, sectionOf))
  return sections.join('\n\n')
}

async function sectionOf(context: BenchContext): Promise<string> {
  const machine = await machineSection(context.db)
  const parts: Part[] = []
  for (const [name, partOf] of Object.entries(PARTS)) {
    if (context.options.only.length === 0 || context.options.only.includes(name))
      parts.push(await partOf(context))
  }
  return [
    `## ${context.size.toLocaleString('en')} questions`,
    `${machine}\n- ${runs(context.options)}\n- pages asked for by ${context.wrk === null ? 'autocannon' : 'wrk'}, forms sent by autocannon`,
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
