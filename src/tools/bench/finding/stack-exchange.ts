import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plainText } from '../../../text/plain.ts'
import type { Asked, Text } from './collection.ts'

/** Links of PostLinks.xml: "this is a duplicate of that", and "these have to do with one another". */
const DUPLICATE = '3'
const RELATED = '1'

/** The questions of a Stack Exchange dump, and those that were closed as duplicates of another one in it, or linked to one. */
export function readDump(folder: string) {
  const posts = rowsOf(join(folder, 'Posts.xml'))
  const answers = new Map(posts.map(({ Id = '', Body = '' }) => [Id, Body]))
  const questions = posts.filter((row) => row.PostTypeId === '1')
  const texts: Text[] = questions.map(({ Title = '', Body = '', AcceptedAnswerId = '' }) => {
    const answer = answers.get(AcceptedAnswerId)
    return { title: Title, body: plainText(Body), answer: answer === undefined ? null : plainText(answer) }
  })
  const places = new Map(questions.map(({ Id = '' }, index) => [Id, index]))
  const links = rowsOf(join(folder, 'PostLinks.xml'))
  const linked = (type: string): Asked[] =>
    links.flatMap(({ PostId = '', RelatedPostId = '', LinkTypeId }) => {
      const [self, right] = [places.get(PostId), places.get(RelatedPostId)]
      const text = self === undefined ? undefined : texts[self]
      if (LinkTypeId !== type || self === undefined || right === undefined || text === undefined) return []
      return [{ title: text.title, body: text.body, right: [right], self }]
    })
  return { texts, duplicates: linked(DUPLICATE), related: linked(RELATED) }
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
