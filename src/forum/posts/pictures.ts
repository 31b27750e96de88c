import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { KINDS, type PostKey } from './kinds.ts'

/** What shows pictures: a post, or an announcement. */
interface Shown {
  readonly table: PostKey['table'] | 'announcements'
  readonly id: number
}

/**
 * Notes which pictures a post shows, in the transaction that writes it. New ones are its writer's own uploads: showing somebody
 * else's picture gives nobody a right to it. One that the post no longer shows stays with its earlier versions.
 * @param html of the post
 */
export async function notePictures(write: Write, post: Shown, html: string, writerId: number): Promise<void> {
  const column = sql.ref(post.table === 'announcements' ? 'announcement_id' : KINDS[post.table].column)
  const names = picturesIn(html)
  await sql`
    update post_images set is_shown = (
      select images.name = any(${names}) from images where images.id = post_images.image_id)
    where ${column} = ${post.id}`.execute(write)
  if (names.length === 0) return
  // Locked against the sweep, which takes what no post shows.
  await sql`
    insert into post_images (image_id, ${column})
    select id, ${post.id} from images where name = any(${names}) and uploader_id = ${writerId} for key share
    on conflict on constraint post_images_key do nothing`.execute(write)
}
