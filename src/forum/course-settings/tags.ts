import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database, Write } from '../../database/schema.ts'
import { term } from '../../database/terms.ts'
import { line, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { notFound, Refused, refusal } from '../../kernel/problem.ts'
import { isTag, TAGS, tagNameOf } from '../../text/tag-name.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { listPage } from '../../web/list.ts'
import { queryParam, textParam } from '../../web/params.ts'
import { coursePath, courseTagSettingsPath, pathWith } from '../../web/paths.ts'
import { course, partOf } from '../courses/find-course.ts'
import { tagList } from '../posts/form.ts'
import { lockTagCounts, lockTagsOf } from '../tags/tagging.ts'
import { runningPage } from './nav.ts'
import { moveQuestions, type TagChange } from './renaming.ts'

/** As the constraint course_tags_description_length has it. */
const DESCRIPTION = { min: 0, max: 200, long: 'courseTags.description.long' }
const MOST_ALIASES = 20
const TAGS_PER_PAGE = 50

const typed = {
  name: line({ min: 1, max: TAGS.max, short: 'courseTags.name.short', long: 'courseTags.name.wrong' })
    .transform(tagNameOf)
    .refine(isTag, { error: 'courseTags.name.wrong', params: { max: TAGS.max } }),
  description: line(DESCRIPTION),
  aliases: tagList(MOST_ALIASES, 'courseTags.aliases.many'),
}
const change = { tag: plain.transform(tagNameOf), ...typed }

/**
 * Renames a tag of a course, merges it into another one or describes it, in this course's questions alone. Its old name and the aliases
 * are taken from now on; who followed it and reads the course follows the tag that it became.
 */
export const tagChange = operation({
  name: 'change-course-tag',
  right: 'rename-tags',
  find: course,
  input: change,
  events: ['course-tags-changed'],
  async run({ write, subject: { id: courseId, slug }, input: { tag, name, description, aliases }, note }) {
    await lockTagsOf(write, courseId)
    const from = await usedTag(write, courseId, tag)
    if (from === null) throw refusal('name', 'courseTags.unknown', { tag })
    const to = name === from.name ? from : await namedTag(write, name)
    const ids = [from.id, to.id]
    await lockTagCounts(write, courseId, sql`select distinct unnest(${ids}::bigint[]) as tag_id`)
    await refuseTaken(write, courseId, ids, name, aliases)
    const before = await present(write, courseId, ids)
    const stays = to === from ? [] : [from.name, ...before.aliasesOf(to.id)]
    const isDescribed = to === from || description !== before.descriptionOf(from.id)
    const said = isDescribed ? description : before.descriptionOf(to.id) || description
    const { id } = await write
      .insertInto('tag_changes')
      .values({
        ...{ course_id: courseId, from_id: from.id, to_id: to.id, description: before.descriptionOf(to.id) },
        ...{ from_aliases: before.aliasesOf(from.id), to_aliases: before.aliasesOf(to.id) },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await describe(write, courseId, to.id, said)
    await setAliases(write, courseId, ids, [
      { id: to.id, aliases: [...stays, ...aliases].filter((alias) => alias !== name) },
    ])
    if (to !== from) await follow(write, courseId, from.id, to.id)
    await moveQuestions(write, { id, courseId, from, to, isUndone: false })
    note('course-tags-changed', { courseId, fromTag: from.id, toTag: to.id, isUndone: false })
    return { slug, name }
  },
})

/** Undoes the last change of a tag, named as it was or as it is, for an hour. Questions that others gave another tag keep that. */
export const tagUndoing = operation({
  name: 'undo-course-tag',
  right: 'rename-tags',
  find: partOf<string>(course),
  events: ['course-tags-changed'],
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    await lockTagsOf(write, courseId)
    const [last] = await undoable(write, courseId, part)
    if (last === undefined) return { slug, isUndone: false }
    const { from, to } = last
    await write.updateTable('tag_changes').set({ undone_at: sql`now()` }).where('id', '=', last.id).execute()
    await lockTagCounts(write, courseId, sql`select distinct unnest(${[from.id, to.id]}::bigint[]) as tag_id`)
    await describe(write, courseId, to.id, last.description)
    await setAliases(
      write,
      courseId,
      [from.id, to.id],
      [
        { id: from.id, aliases: last.fromAliases },
        { id: to.id, aliases: last.toAliases },
      ],
    )
    await sql`delete from tag_follows where tag_id = ${to.id} and followed_at = ${last.changedAt}`.execute(
      write,
    )
    await moveQuestions(write, { ...last, isUndone: true })
    note('course-tags-changed', { courseId, fromTag: to.id, toTag: from.id, isUndone: true })
    return { slug, isUndone: true }
  },
})

/** A tag that a question of the course has, deleted and private ones too; null: there is none. Uses index question_tags_course. */
async function usedTag(write: Write, courseId: number, name: string) {
  const tag = await write
    .selectFrom('tags as tag')
    .select(['tag.id', 'tag.name'])
    .where('tag.name', '=', name)
    .where(isUsed(courseId))
    .executeTakeFirst()
  return tag ?? null
}

const isUsed = (courseId: number) =>
  sql<boolean>`exists (select from question_tags where tag_id = tag.id and course_id = ${courseId})`

async function namedTag(write: Write, name: string) {
  await write
    .insertInto('tags')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return write
    .selectFrom('tags')
    .select(['id', 'name'])
    .where('name', '=', name)
    .forKeyShare()
    .executeTakeFirstOrThrow()
}

/** Refuses words that mean another tag of the course. @throws Refused */
async function refuseTaken(
  write: Write,
  courseId: number,
  ids: readonly number[],
  name: string,
  aliases: readonly string[],
) {
  const others = sql`and tag.id <> all(${ids}::bigint[])`
  const { rows } = await sql<{ word: string; tag: string }>`
    select alias.name as word, tag.name as tag from tag_aliases as alias join tags as tag on tag.id = alias.tag_id
    where alias.course_id = ${courseId} and alias.name = any(${[name, ...aliases]}::text[]) ${others}
    union all select tag.name, tag.name from tags as tag
    where tag.name = any(${aliases}::text[]) and ${isUsed(courseId)} ${others}`.execute(write)
  if (rows.length === 0) return
  throw new Refused(
    rows.map((values) => ({
      field: values.word === name ? 'name' : 'aliases',
      message: { key: 'courseTags.taken', values: { ...values } },
    })),
  )
}

/** What the course says of tags, before it is changed. */
async function present(write: Write, courseId: number, ids: readonly number[]) {
  const described = await write
    .selectFrom('course_tags')
    .select(['tag_id', 'description'])
    .where('course_id', '=', courseId)
    .where('tag_id', 'in', ids)
    .execute()
  const aliases = await write
    .selectFrom('tag_aliases')
    .select(['tag_id', 'name'])
    .where('course_id', '=', courseId)
    .where('tag_id', 'in', ids)
    .orderBy('name')
    .execute()
  return {
    descriptionOf: (id: number) => described.find(({ tag_id }) => tag_id === id)?.description ?? '',
    aliasesOf: (id: number) => aliases.filter(({ tag_id }) => tag_id === id).map(({ name }) => name),
  }
}

async function describe(write: Write, courseId: number, tagId: number, description: string): Promise<void> {
  await write
    .updateTable('course_tags')
    .set({ description })
    .where('course_id', '=', courseId)
    .where('tag_id', '=', tagId)
    .where('description', '<>', description)
    .execute()
}

/** Words that someone began to use for another tag since are left out. */
async function setAliases(
  write: Write,
  courseId: number,
  ids: readonly number[],
  tags: readonly { readonly id: number; readonly aliases: readonly string[] }[],
): Promise<void> {
  await write.deleteFrom('tag_aliases').where('course_id', '=', courseId).where('tag_id', 'in', ids).execute()
  for (const { id, aliases } of tags)
    await sql`
      insert into tag_aliases (course_id, name, tag_id)
      select ${courseId}, name, ${id} from unnest(${aliases}::text[]) as name
      where not exists (select from tags as tag where tag.name = name.name and tag.id <> all(${ids}::bigint[]) and ${isUsed(courseId)})
      on conflict (course_id, name) do nothing`.execute(write)
}

/** Who follows a tag and reads the course follows another one as well. Undoing the change finds them by its time. */
async function follow(write: Write, courseId: number, fromId: number, toId: number): Promise<void> {
  await sql`
    insert into tag_follows (tag_id, person_id, followed_at)
    select ${toId}, follow.person_id, now() from tag_follows as follow
    join people as person on person.id = follow.person_id join courses as course on course.id = ${courseId}
    where follow.tag_id = ${fromId} and (course.is_public or person.is_admin or exists (
      select from course_members as member where member.course_id = course.id and member.person_id = person.id))
    order by follow.person_id on conflict do nothing`.execute(write)
}

/**
 * The changes of a course that can be undone, the latest first: those of the last hour, but for what a later one goes on from. Locked, so
 * that no job goes on with one that is undone.
 */
async function undoable(db: Database | Write, courseId: number, tag: string | null) {
  const { rows } = await sql<
    TagChange & {
      description: string
      fromAliases: string[]
      toAliases: string[]
      changedAt: Date
    }
  >`
    select change.id, change.course_id as "courseId", false as "isUndone", change.description,
      change.from_aliases as "fromAliases", change.to_aliases as "toAliases", change.changed_at as "changedAt",
      jsonb_build_object('id', former.id, 'name', former.name) as "from", jsonb_build_object('id', now.id, 'name', now.name) as "to"
    from tag_changes as change join tags as former on former.id = change.from_id join tags as now on now.id = change.to_id
    where change.course_id = ${courseId} and change.undone_at is null and change.changed_at > now() - ${term('tagChanges')}
      and (${tag}::text is null or ${tag} in (former.name, now.name))
      and not exists (select from tag_changes as later where later.course_id = change.course_id and later.id > change.id
        and later.undone_at is null and (later.from_id in (change.from_id, change.to_id) or later.to_id in (change.from_id, change.to_id)))
    order by change.id desc limit 100 ${db.isTransaction ? sql`for no key update of change` : sql``}`.execute(
    db,
  )
  return rows
}

/** Tags of a course, most used first, with what it says of them. Uses index course_tags_most_used. */
async function listCourseTags(
  db: Database,
  courseId: number,
  name: string | null,
  request: PageRequest,
  size = TAGS_PER_PAGE,
) {
  const page = pageAlong('used.questions_count', 'tag.id', 'count', request)
  const rows = await db
    .selectFrom('course_tags as used')
    .innerJoin('tags as tag', 'tag.id', 'used.tag_id')
    .select(['tag.id', 'tag.name', 'used.questions_count', 'used.description'])
    .select(
      sql<string[]>`array(select alias.name from tag_aliases as alias
        where alias.course_id = used.course_id and alias.tag_id = used.tag_id order by alias.name)`.as(
        'aliases',
      ),
    )
    .where('used.course_id', '=', courseId)
    .$if(name === null, (query) => query.where('used.questions_count', '>', 0))
    .$if(name !== null, (query) => query.where('tag.name', '=', name).where(isUsed(courseId)))
    .where(page.beyond)
    .orderBy(page.order)
    .limit(size + 1)
    .execute()
  return pageOf(rows, size, request, (tag) => tag.questions_count)
}

/** The tags of a course, or the form of the one that the address or what was typed names. */
export const showTagSettings = runningPage(
  'course-settings/tags',
  'tags',
  {},
  async (context, refused: FormState | null = null) => {
    const { t, formFields, db, course } = context
    const path = courseTagSettingsPath(course.slug)
    const name = refused?.typed.tag ?? queryParam(context, 'tag')
    const asked = name === null ? null : tagNameOf(name)
    const listed = await listPage(context, path, 'count', (page) =>
      listCourseTags(db, course.id, asked, page),
    )
    const [tag] = listed.rows
    if (asked !== null && tag === undefined && refused === null) throw notFound()
    const { description = '', aliases = [] } = tag ?? {}
    const form = refused ?? freshForm({ name: asked ?? '', description, aliases: aliases.join(', ') })
    const changes = asked === null ? await undoable(db, course.id, null) : []
    return {
      title: asked === null ? t('courseSettings.nav.tags') : t('courseTags.named', { tag: asked }),
      path,
      // The one whose form it is; null: all are listed.
      tag: asked,
      form,
      fields: formFields('courseTags', typed, form, {
        name: { hintValues: { max: TAGS.max }, autocomplete: 'off' },
        description: { maxlength: DESCRIPTION.max },
        aliases: { hintValues: { most: MOST_ALIASES }, autocomplete: 'off' },
      }),
      tags: listed.rows.map((one) => ({
        ...one,
        path: pathWith(coursePath(course.slug), { tag: one.name }),
        formPath: pathWith(path, { tag: one.name }),
        aliases: one.aliases.join(', '),
      })),
      undoable: changes.map(({ from, to }) => ({
        text: from.id === to.id ? to.name : `${from.name} → ${to.name}`,
        action: undoPath(course.slug, to.name),
      })),
      ...listed.links,
    }
  },
)

const undoPath = (slug: string, tag: string) =>
  `${courseTagSettingsPath(slug)}/${encodeURIComponent(tag)}/undo`

export function registerCourseTags(app: FastifyInstance): void {
  const path = '/courses/:course/settings/tags'
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const formPage = (request: FastifyRequest) => courseTagSettingsPath(slugIn(request))
  app.get(path, (request, reply) => showTagSettings(request, reply))
  openForm(app, path, tagChange, {
    key: slugIn,
    formPage: (request) => pathWith(formPage(request), { tag: typedFields(request.body).tag || null }),
    done: ({ slug }) => courseTagSettingsPath(slug),
    flash: (request, done) => ({
      said: 'courseSettings.flash.saved',
      act: done === null ? undefined : undoPath(slugIn(request), done.name),
    }),
    refused: showTagSettings,
  })
  openForm(app, `${path}/:tag/undo`, tagUndoing, {
    key: (request) => ({ slug: slugIn(request), part: tagNameOf(textParam(request, 'tag')) }),
    formPage,
    done: ({ slug }) => courseTagSettingsPath(slug),
    flash: (_, done) => `courseTags.flash.${done?.isUndone === false ? 'late' : 'undone'}`,
  })
}
