import { Argument, type Command } from 'commander'
import type { Database } from '../../database/schema.ts'
import { sweepPictures } from '../../forum/pictures/commands.ts'
import { pictureStore } from '../../forum/pictures/picture-store.ts'
import { type PostKind, TABLES } from '../../forum/posts/kinds.ts'
import { findPostParts, purgePost } from '../../forum/purging/delete-posts.ts'
import { CommandError, withDatabase } from './run.ts'
import { isTyped } from './typed-name.ts'
import { wholeNumber } from './whole-number.ts'

export function addPost(program: Command): void {
  program
    .command('post')
    .description('manage single posts')
    .command('purge')
    .description(
      'delete a post for good with everything below it; without --name, only show what would be deleted',
    )
    .addArgument(new Argument('<kind>').choices(Object.keys(TABLES)))
    .argument('<number>', 'its number, from its address', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option('--name <title>', 'the title of its question, to confirm')
    .action(purge)
}

async function purge(kind: PostKind, id: number, { name }: { readonly name?: string }): Promise<void> {
  await withDatabase(async ({ db, config }) => {
    const table = TABLES[kind]
    const parts = await findPostParts(db, { table, id })
    if (parts === null) throw new CommandError(`there is no ${kind} ${id}`)
    const { title, author, ...counted } = parts
    const counts = Object.entries(counted).flatMap(([what, count]) =>
      count === 0 ? [] : [`${count} ${what}`],
    )
    const what = `${kind} ${id} of ${author}, "${title}": ${counts.join(', ')}`
    if (!isTyped(title, name, what)) return
    await purgePost(db, { table, id, questionId: await questionOf(db, table, id) })
    await sweepPictures(db, pictureStore(config))
    console.log(`deleted for good: ${what}`)
  })
}

async function questionOf(db: Database, table: (typeof TABLES)[PostKind], id: number): Promise<number> {
  if (table === 'questions') return id
  const post = await db.selectFrom(table).select('question_id').where('id', '=', id).executeTakeFirstOrThrow()
  return post.question_id
}
