import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import { importStackExchange } from '../imports/stackexchange.ts'
import { refreshStatistics } from '../search/statistics.ts'
import { startTestServer } from '../testing/server.ts'
import { makeBaseline } from './baseline.ts'
import { duplicates, type LinkedDump } from './duplicates.ts'
import { knownItems } from './known-items.ts'
import { korean } from './korean.ts'

const DUMPS = join(import.meta.dirname, '../../../shared/data/stackexchange')

/** Dumps to measure on, where they are: the project does not ship them. */
const LINKED: readonly LinkedDump[] = [
  { slug: 'quantumcomputing', folder: join(DUMPS, 'quantumcomputing') },
  { slug: 'bicycles-meta', folder: join(DUMPS, 'bicycles-meta') },
]

/** How well things are found, beside the baseline, as a section of Markdown. Uses a PostgreSQL of its own. */
export async function recallSection(say: (line: string) => void): Promise<string> {
  const server = await startTestServer()
  const db = connect(server.url, { statementTimeout: 0 })
  try {
    await migrate(db)
    const koreanPart = await korean(db, say)
    const parts = [
      '## Korean',
      '',
      `Queries judged by hand over the questions of src/bench/korean-set.ts.`,
      '',
      koreanPart,
    ]
    if (!(await areThere()))
      return [
        ...parts,
        '',
        `The dumps are not in ${DUMPS}: known items and duplicates were not measured.`,
      ].join('\n')
    for (const dump of LINKED) {
      await importStackExchange(db, { folder: dump.folder, course: { slug: dump.slug, title: dump.slug } })
      say(`imported ${dump.slug}`)
    }
    await refreshStatistics(db)
    await makeBaseline(db)
    return [
      '## Known items',
      '',
      "Each imported question, looked for by words of its own. Baseline: `to_tsvector('english')` over title and body, `ts_rank_cd`, all words.",
      '',
      await knownItems(db, say),
      '',
      '## Duplicates and related questions',
      '',
      'Pairs of PostLinks.xml; the other question looked for among the similar ones. Baseline: the same with any of the words.',
      '',
      await duplicates(db, LINKED, say),
      '',
      ...parts,
    ].join('\n')
  } finally {
    await db.destroy()
    await server.stop()
  }
}

function areThere(): Promise<boolean> {
  return access(DUMPS).then(
    () => true,
    () => false,
  )
}
