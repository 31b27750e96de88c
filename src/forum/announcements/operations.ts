import { personOf } from '../../operations/actor.ts'
import { operation } from '../../operations/operation.ts'
import { EditedMeanwhile, refusal } from '../../operations/refused.ts'
import { course } from '../courses/subjects.ts'
import { begunWith } from '../posts/begun-with.ts'
import { version } from '../posts/form.ts'
import { announce, editAnnouncement } from './commands.ts'
import { newAnnouncement, news } from './form.ts'
import { findAnnouncement } from './queries.ts'
import { announcement } from './subjects.ts'

/** Tells a course something. `corrects`: the id of the announcement that it corrects. */
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
