import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { mentionedIn } from '../../text/mentions.ts'
import type { Author } from './format.ts'

interface NumberedPost {
  readonly line: { readonly author: Author }
  readonly questionId: number
  readonly authorId: number
}

const numbersOf = (posts: readonly NumberedPost[]) =>
  posts.flatMap(({ line: { author }, questionId, authorId }) =>
    'anonymous' in author && author.number !== null
      ? [{ question_id: questionId, person_id: authorId, number: author.number }]
      : [],
  )

/** The numbers that the stand-in names of new questions' askers had, which texts speak of: each was given the first. */
export async function renumberAskers(write: Write, questions: readonly NumberedPost[]): Promise<void> {
  await sql`
    update stand_ins as kept set number = given.number
    from json_populate_recordset(null::stand_ins, ${JSON.stringify(numbersOf(questions))}) as given
    where kept.question_id = given.question_id and kept.person_id = given.person_id`.execute(write)
}

/** The same of who wrote below, before their posts are there, which would be given others. */
export async function keepStandIns(write: Write, posts: readonly NumberedPost[]): Promise<void> {
  await sql`
    insert into stand_ins (question_id, person_id, number)
    select question_id, person_id, number from json_populate_recordset(null::stand_ins, ${JSON.stringify(numbersOf(posts))})
    on conflict do nothing`.execute(write)
}

/** Which pictures posts show and whom they mention: no one is notified. */
export async function keepBeside(
  write: Write,
  column: 'question_id' | 'answer_id' | 'reply_id',
  rows: readonly {
    readonly row: { readonly written_at: string }
    readonly id: number
    readonly html: string
  }[],
  pictures: ReadonlyMap<string, { id: number; name: string }>,
): Promise<void> {
  const byName = new Map([...pictures.values()].map(({ id, name }) => [name, id]))
  const shown = rows.flatMap(({ id, html }) =>
    Array.from(html.matchAll(/<img src="\/uploads\/([\w-]+)"/g), ([, name = '']) => byName.get(name)).flatMap(
      (image) => (image === undefined ? [] : [{ image_id: image, [column]: id, is_shown: true }]),
    ),
  )
  await insertUnknown(write, 'post_images', shown)
  const mentioned = rows.flatMap(({ row, id, html }) =>
    mentionedIn(html).map((person_id) => ({ person_id, [column]: id, mentioned_at: row.written_at })),
  )
  await insertUnknown(write, 'mentions', mentioned)
}

async function insertUnknown(
  write: Write,
  table: 'post_images' | 'mentions',
  rows: readonly object[],
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = sql.join(Object.keys(first).map((column) => sql.ref(column)))
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    on conflict do nothing`.execute(write)
}
