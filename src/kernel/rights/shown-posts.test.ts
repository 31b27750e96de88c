import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const SOURCES = join(import.meta.dirname, '../..')
/** As SQL has it, and as Kysely has it. */
const ASKED = /\bdeleted_at\W{0,4}\bis( not)? null\b|deleted_at',\s*'is'/i

/** Files that mean deletion; all others ask for is_shown, or by kernel/rights/visibility.ts for what somebody may see that is not shown. */
const OF_DELETION = {
  'forum/bulk/questions.ts': 'staff choose hidden questions, too',
  'forum/bulk/record.ts': 'staff see the title of what is hidden',
  'forum/claiming/offers.ts': 'names one’s own titles, of held and hidden posts too',
  'forum/desk/moving.ts': 'moves what is hidden along',
  'forum/posts/hold.ts': 'lets through what is held',
  'forum/posts/removal.ts': 'lets through what is held',
  'forum/telling/held.ts': 'counts what is held',
  'forum/merging/preview.ts': 'counts what moves, hidden posts too',
  'forum/cases/find.ts': 'staff see the title of what is hidden',
  'forum/cases/subject.ts':
    'staff see what is hidden and what is deleted, and a removal deletes hidden posts too',
  'forum/cases/pages/listed-posts.ts': 'staff select hidden posts, too',
  'forum/cases/pages/queue-page.ts': 'staff see the title of what is hidden',
  'forum/cases/spam-domains.ts': 'looks at links of hidden posts, too',
  'forum/cases/spammer.ts': 'counts what is held',
  'forum/cases/acts-on-people.ts': 'deletes all posts of an account',
  'forum/desk/views.ts': 'staff see what is hidden',
  'forum/purging/leavers-posts.ts': 'purges what is deleted',
  'forum/posts/find.ts': 'tells what is deleted from what is hidden',
  'forum/posts/lock.ts': 'tells what is deleted from what is hidden',
  'forum/reading/deleted-posts.ts': 'lists what can be restored',
  'forum/reading/list-filter.ts': 'one’s own questions, hidden ones too',
  'forum/posts/text.ts': 'edits what is hidden, too',
  'kernel/rights/visibility.ts': 'decides who sees what is hidden',
  'operating/exchange/exported-rows.ts': 'exports what is held or hidden, each as that',
  'operating/exchange/shown-run.ts': 'leads to no question that is deleted',
  'operating/exchange/what-stays.ts': 'an answer that was deleted keeps no thread',
}

test('who reads posts asks whether they are shown, not whether they were deleted', async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/(\.test|testing)\.ts$/.test(file),
  )
  assert.ok(files.length > 500)
  const asking: string[] = []
  for (const file of files) if (ASKED.test(await readFile(join(SOURCES, file), 'utf8'))) asking.push(file)
  assert.deepEqual(asking.sort(), Object.keys(OF_DELETION).sort())
})
