import { connect } from '../../database/connection.ts'
import { migrate } from '../../database/migrate.ts'
import { startTestServer } from '../../testing/server.ts'
import { korean } from './korean.ts'

/** Search quality beside the baseline, as a section of Markdown. Uses a temporary PostgreSQL. */
export async function recallSection(say: (line: string) => void): Promise<string> {
  const server = await startTestServer()
  const db = connect(server.url, { statementTimeout: 0 })
  try {
    await migrate(db)
    const about =
      'Queries judged by hand over the questions of src/tools/bench/korean-set.ts and korean-wordings.ts.'
    const baseline = "Baseline: `to_tsvector('english')` over title and body, `ts_rank_cd`, all words."
    return ['## Korean', `${about} ${baseline}`, await korean(db, say)].join('\n\n')
  } finally {
    await db.destroy()
    await server.stop()
  }
}
