import { z } from 'zod'
import { personOf } from '../../kernel/actor.ts'
import { optional, plain } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, refusal } from '../../kernel/problem.ts'
import { course } from '../courses/find-course.ts'
import { begunWith } from '../posts/editing.ts'
import { postBody, postTitle, version } from '../posts/form.ts'
import { announce, announcement, editAnnouncement, findAnnouncement } from './announcement.ts'

/** `corrects`: the id of the announcement that this one corrects. */
const corrected = () =>
  plain.transform((value, context) => {
    if (/^[1-9]\d{0,14}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'announcements.corrects.unknown' })
    return z.NEVER
  })

const news = { title: postTitle(), body: postBody() }

const newAnnouncement = { ...news, corrects: optional(corrected()) }

export const postAnnouncement = operation({
  name: 'post-announcement',
  right: 'announce',
  find: course,
  once: true,
  input: newAnnouncement,
  events: ['announced'],
  async run({ write, actor, subject: { id: courseId }, input: { title, body, corrects: correctsId }, note }) {
    const id = await announce(write, { courseId, authorId: personOf(actor).id, title, body, correctsId })
    if (id === null) throw refusal('title', 'announcements.corrects.unknown')
    note('announced', { courseId })
    return { id, title, correctsId }
  },
})

/** Changes an announcement. What changes nothing makes no version. @throws EditedMeanwhile */
export const announcementEdit = operation({
  name: 'edit-announcement',
  right: 'announce',
  find: announcement,
  input: { ...news, version },
  events: ['announcement-edited'],
  async run({ write, actor, subject, input: { title, body, version }, note }) {
    const { id } = subject.announcement
    const actorId = personOf(actor).id
    const edit = { title, body, actorId, version: begunWith(version, subject.announcement, actorId) }
    const { announcement: before } = subject
    if (before.title === title && before.body === body.source && before.version === edit.version)
      return { id, title, isChanged: false }
    if ((await editAnnouncement(write, id, edit)) === 'conflict') {
      const now = await findAnnouncement(write, id)
      if (now?.title !== title || now.body !== body.source) throw new EditedMeanwhile()
    }
    note('announcement-edited', { courseId: subject.courseId, id })
    return { id, title, isChanged: true }
  },
})
