import { join } from 'node:path'
import { inFolder } from '../foreign/temporary-folder.ts'
import { convertDump } from './convert-dump.ts'
import { type DumpFile, isDump, openDump } from './dump.ts'
import { withHistory } from './dump-sources.ts'
import type { Conversion, Converted, Source } from './source.ts'

/** Number of passes over each file. */
const READINGS: Readonly<Record<DumpFile, number>> = {
  ...{ users: 1, posthistory: 2, postlinks: 1, posts: 2, comments: 1 },
}

/** The lines of the closing table, in their order. */
const KINDS = ['people', 'former members', 'questions', 'answers', 'replies', 'other posts']

/** A dump of a site: Posts.xml, Users.xml, Comments.xml and ideally PostHistory.xml and PostLinks.xml. */
export const STACKEXCHANGE: Source = {
  name: 'stackexchange',
  recognizes: async (files) => isDump(files),
  bytesOf(files) {
    const dump = openDump(files)
    const times = Object.entries(READINGS) as [DumpFile, number][]
    return times.reduce((bytes, [file, readings]) => bytes + dump.size(file) * readings, 0)
  },
  async convert(conversion: Conversion): Promise<Converted> {
    const { files, writer, tally, course, origin, picture } = conversion
    tally.list(KINDS)
    const dump = openDump(files)
    const people = await inFolder('dump', (work) =>
      withHistory(dump, join(work, 'texts'), (history) =>
        convertDump({ dump, history, writer, tally, course, picture, origin: origin ?? files.title }),
      ),
    )
    return { people, unread: dump.unread }
  },
}
