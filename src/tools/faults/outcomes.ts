import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from './run-fault.ts'

/** Beside the page that is made of it, so that faults can be tried a few at a time. */
const FILE = join(import.meta.dirname, '../../../docs/faults.json')

const outcome = z.object({
  state: z.enum(['held', 'not held', 'not run']),
  claims: z.array(z.object({ claim: z.string(), measured: z.string(), holds: z.boolean() })),
  reason: z.string(),
  seconds: z.number(),
  /** YYYY-MM-DD. */
  day: z.string(),
})

/** The last outcome of a fault. */
export type KeptOutcome = Readonly<z.infer<typeof outcome>>

/** By the faults' names. */
export async function readOutcomes(): Promise<Record<string, KeptOutcome>> {
  const text = await readFile(FILE, 'utf8').catch(() => '{}')
  return z.record(z.string(), outcome).parse(JSON.parse(text))
}

/** Records an outcome, replacing the last one, so that a rerun of one fault updates a complete report. */
export async function keepOutcome({ fault, state, claims, reason, seconds }: Outcome): Promise<void> {
  const day = new Date().toISOString().slice(0, 10)
  const all = { ...(await readOutcomes()), [fault.name]: { state, claims, reason, seconds, day } }
  await writeFile(FILE, `${JSON.stringify(all, null, 2)}\n`)
}
