import type { Database } from '../../database/schema.ts'
import { undoRun } from '../exchange/import-run.ts'

const DAY_MS = 24 * 60 * 60_000
/** For how long an import can be taken back. */
const DAYS = 7

/** Whether what came with an import may still go. */
export function canBeTakenBack({ run_id, ended_at }: { run_id: number | null; ended_at: Date | null }) {
  return run_id !== null && ended_at !== null && Date.now() - ended_at.getTime() < DAYS * DAY_MS
}

/** Removes what a run brought. May be done again: after a crash. */
export async function takeBack(db: Database, runId: number, _withAnswers: boolean): Promise<void> {
  await undoRun(db, runId)
}
