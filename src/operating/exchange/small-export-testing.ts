import { join } from 'node:path'
import type { Ending } from '../../testing/at-end.ts'
import { aFolder } from './course-testing.ts'
import { writeExchange } from './folder-writer.ts'
import { FORMAT, LINE_KINDS, type LineKind, type Written } from './format.ts'

export type SmallExport = { readonly [Kind in LineKind]?: readonly Partial<Written<Kind>>[] } & {
  readonly source?: string
  readonly origin?: string
}

const WRITTEN = { written_at: '2020-03-01T10:00:00Z', body: 'About the matter.' }

/** What lines have unless said; each author is the person `mara`. */
const USUAL = {
  ...{ lectures: { position: 1, title: 'Verbs' }, categories: { slug: 'ideas', name: 'Ideas', position: 5 } },
  ...{ tags: { name: 'http' }, people: { id: 'mara', name: 'Mara' }, files: {}, versions: {} },
  questions: { ...WRITTEN, title: 'What is a resource?', author: { person: 'mara' }, visibility: 'course' },
  answers: { ...WRITTEN, question: '1', author: { person: 'mara' } },
  replies: { ...WRITTEN, question: '1', author: { person: 'mara' } },
  announcements: {
    title: 'The room',
    body: 'Another one.',
    published_at: WRITTEN.written_at,
    author: { person: 'mara' },
  },
  faq: { position: 1, question: null },
}

/** An export of a few lines, of Ed unless said. @returns its folder */
export async function aSmallExport(
  test: Ending,
  { source = 'ed', origin = '7', ...lines }: SmallExport,
): Promise<string> {
  const path = join(await aFolder(test), 'export')
  await writeExchange(path, async (writer) => {
    await writer.course({
      ...{ format: FORMAT.name, version: FORMAT.version, source: { name: source, origin } },
      ...{ slug: 'moved', title: 'Moved', is_public: true },
    })
    for (const kind of LINE_KINDS) {
      const given = lines[kind] ?? (kind === 'people' ? [{}] : [])
      await writer.lines(kind, given.map((line: object) => ({ ...USUAL[kind], ...line })) as never)
    }
  })
  return path
}
