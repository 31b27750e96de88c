import { z } from 'zod'
import { personOf } from '../../operations/actor.ts'
import { choice, flag, plain, titleLine, yes } from '../../operations/fields.ts'
import { forum, operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { findLecture } from '../courses/choices.ts'
import { course, partOf } from '../courses/find-course.ts'
import { questionOf } from '../posts/find.ts'
import { TITLE } from '../posts/form.ts'
import { question } from '../posts/subjects.ts'
import { findTag } from '../tags/queries.ts'
import {
  endAllFollowing,
  type Following,
  followInstead,
  setFollowing,
  setPlaceFollowing,
} from './following.ts'

const FOLLOWINGS = { '1': 'follow', '0': 'none', mute: 'mute' } as const satisfies Record<string, Following>
/** The typed title; null: none, or one that no question could have. */
const typedTitle = z.string().transform((value) => titleLine(TITLE).safeParse(value).data ?? null)

/** Follows a question (`value` = `1`), mutes it (`mute`), or neither (`0`). `instead`: it is followed in place of asking `title`. */
export const questionFollowing = operation({
  name: 'follow-question',
  right: 'follow',
  find: question,
  limit: 'voting',
  input: { value: choice(['1', '0', 'mute']), title: typedTitle, instead: flag },
  async run({ write, actor, subject, input: { value, title, instead } }) {
    const personId = personOf(actor).id
    const isInstead = value === '1' && instead
    if (isInstead) await followInstead(write, subject.id, personId, title)
    else await setFollowing(write, subject.id, personId, FOLLOWINGS[value])
    return { question: questionOf(subject), done: isInstead ? 'instead' : FOLLOWINGS[value] }
  },
})

/** Follows the new questions of a course, or no longer. */
export const courseFollowing = operation({
  name: 'follow-course',
  right: 'follow-course',
  find: course,
  limit: 'voting',
  input: { value: yes },
  async run({ write, actor, subject: { id, slug }, input: { value: isFollowed } }) {
    await setPlaceFollowing(write, { kind: 'course', id }, personOf(actor).id, isFollowed)
    return { slug, isFollowed }
  },
})

/** Follows the new questions of a lecture, or no longer. */
export const lectureFollowing = operation({
  name: 'follow-lecture',
  right: 'follow-course',
  find: partOf<string>(course),
  limit: 'voting',
  input: { value: yes },
  async run({ write, actor, subject: { id: courseId, slug, part }, input: { value: isFollowed } }) {
    const lecture = await findLecture(write, courseId, part)
    if (lecture === null) throw notFound()
    await setPlaceFollowing(write, { kind: 'lecture', id: lecture.id }, personOf(actor).id, isFollowed)
    return { slug, position: lecture.position, isFollowed }
  },
})

/** Follows the new questions with a tag, or no longer. */
export const tagFollowing = operation({
  name: 'follow-tag',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  input: { tag: plain, value: yes },
  async run({ write, actor, input: { tag, value: isFollowed } }) {
    const person = personOf(actor)
    const name = tagNameOf(tag)
    const found = await findTag(write, person, name)
    if (found === null) throw notFound()
    await setPlaceFollowing(write, { kind: 'tag', id: found.id }, person.id, isFollowed)
    return { name, isFollowed }
  },
})

/** Ends all that somebody follows: `value` = `0`. */
export const followingEnd = operation({
  name: 'end-following',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  input: { value: choice(['0']) },
  run: async ({ write, actor }) => endAllFollowing(write, personOf(actor).id),
})
