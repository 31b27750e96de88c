import { sql } from 'kysely'
import { sealedName } from '../authors/sealed-name.ts'

/** The fields of an AuthorRow for json_build_object, of the post of alias `post` in question `q`. */
export const authorOfPost = sql`'author_id', post.author_id, 'author_name', ${sealedName('author.display_name')},
  'author_role', author_member.role, 'is_anonymous', post.is_anonymous, 'stand_in', stand_in.number`

/** The joins that authorOfPost needs. */
export const joinAuthor = sql`
  join people as author on author.id = post.author_id
  left join course_members as author_member
    on author_member.course_id = q.course_id and author_member.person_id = post.author_id
  left join stand_ins as stand_in on stand_in.question_id = q.id and stand_in.person_id = post.author_id`
