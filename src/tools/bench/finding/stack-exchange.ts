import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainText } from '../../../text/plain.ts'
import type { DataSet } from './data-set.ts'

/** Links of PostLinks.xml that say "this is a duplicate of that". */
const DUPLICATE = '3'

/** The questions of a Stack Exchange dump, and those that were closed as duplicates of another one in it. */
export function readDuplicates(folder: string): Omit<DataSet, 'name' | 'unmatched'> {
  const posts = rowsOf(join(folder, 'Posts.xml')).filter((row) => row.PostTypeId === '1')
  const collection = posts.map(({ Title = '', Body = '' }) => ({ title: Title, body: plainText(Body) }))
  const places = new Map(posts.map(({ Id = '' }, index) => [Id, index]))
  const asked = rowsOf(join(folder, 'PostLinks.xml')).flatMap(
    ({ PostId = '', RelatedPostId = '', LinkTypeId }) => {
      const [self, right] = [places.get(PostId), places.get(RelatedPostId)]
      const text = self === undefined ? undefined : collection[self]
      if (LinkTypeId !== DUPLICATE || self === undefined || right === undefined || text === undefined)
        return []
      return [{ ...text, right: [right], self }]
    },
  )
  return { collection, asked }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  '#xA': '\n',
  '#xD': '',
}

/** The attributes of each `<row>` of a dump: one a line. */
function rowsOf(path: string): Record<string, string>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('<row '))
    .map((line) =>
      Object.fromEntries(
        Array.from(line.matchAll(/ (\w+)="([^"]*)"/g), ([, name = '', value = '']) => [
          name,
          value.replace(/&(#?\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole),
        ]),
      ),
    )
}
