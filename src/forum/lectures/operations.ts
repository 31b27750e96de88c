import { z } from 'zod'
import { choice, flag, optional, plain, text, titleLine } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound, refusal } from '../../operations/problem.ts'
import { form } from '../../web/form.ts'
import { course, partOf } from '../courses/find-course.ts'
import {
  addLectures,
  changeLecture,
  moveLecture,
  readList,
  removeLecture,
  replaceLectures,
} from './commands.ts'
import { undoChange } from './undo.ts'

/** As the constraint lectures_title_length has it. */
const title = () =>
  titleLine({ min: 1, max: 150, short: 'lectures.title.short', long: 'lectures.title.long' })

/** A lecture's number, as addresses carry it. */
const position = () =>
  plain.transform((value, context) => {
    if (/^[1-9]\d{0,5}$/.test(value.trim())) return Number(value.trim())
    context.addIssue({ code: 'custom', message: 'lectures.position.wrong' })
    return z.NEVER
  })

/** Typed or pasted lectures; `mode` 'replace': the course has these and no others. `table`: they are known to be one. */
const listed = {
  lectures: text({ min: 1, max: 200_000, short: 'lectures.file.none', long: 'lectures.many' }),
  mode: optional(choice(['add', 'replace'])),
  table: flag,
}

/** The same with `act` 'save': what was read was shown; 'edit': back to the text. */
export const lecturesForm = form({ ...listed, act: optional(choice(['read', 'save', 'edit'])) })

const lecture = { title: title(), position: position() }
/** By one, or to where the lecture `to` stands. */
const move = { direction: optional(choice(['up', 'down'])), to: optional(position()) }
/** The lecture that takes over the questions: `into` the number of another lecture. */
const merge = { into: position() }
/** The same, or of none. */
const removal = { into: optional(position()) }

/** Runs a change of a course's lectures. @returns the course's slug, and in `change` what undoes it; null: nothing changed */
const managing = { right: 'manage' } as const
/** A lecture by its position, a change by its number. */
const byNumber = partOf<number>(course)

export const lectureAdding = operation({
  ...managing,
  name: 'add-lectures',
  find: course,
  input: listed,
  events: ['course-lectures-changed'],
  async run({ write, subject: { id: courseId, slug }, input: { lectures, mode, table }, note }) {
    const read = await readList({ text: lectures, isTable: table })
    const { change, result: kept } =
      mode === 'replace'
        ? await replaceLectures(write, courseId, read.lectures)
        : await addLectures(write, courseId, read)
    note('course-lectures-changed', { courseId })
    return { slug, change, kept }
  },
})

export const lectureChange = operation({
  ...managing,
  name: 'change-lecture',
  find: byNumber,
  input: lecture,
  events: ['course-lectures-changed'],
  async run({ write, subject: { id: courseId, slug, part }, input, note }) {
    const { result, change } = await changeLecture(write, courseId, part, input)
    if (!result) throw notFound()
    note('course-lectures-changed', { courseId })
    return { slug, change }
  },
})

/** @returns also where it stands then */
export const lectureMove = operation({
  ...managing,
  name: 'move-lecture',
  find: byNumber,
  input: move,
  events: ['course-lectures-changed'],
  async run({ write, subject: { id: courseId, slug, part }, input: { direction, to }, note }) {
    const where = direction ?? to
    if (where === null) throw notFound()
    const { result: position, change } = await moveLecture(write, courseId, part, where)
    note('course-lectures-changed', { courseId })
    return { slug, change, position }
  },
})

export const lectureMerger = leaving('merge-lecture', 'merger', merge)
/** Takes a lecture from a course; its questions go to another one, or to none. */
export const lectureRemoval = leaving('remove-lecture', 'removal', removal)

function leaving(name: string, field: string, input: typeof merge | typeof removal) {
  return operation({
    ...managing,
    name,
    find: byNumber,
    input,
    events: ['course-lectures-changed'],
    async run({ write, subject: { id: courseId, slug, part }, input: { into }, note }) {
      const { result, change } = await removeLecture(write, courseId, part, into)
      if (!result) throw refusal(field, 'lectures.into.unknown')
      note('course-lectures-changed', { courseId })
      return { slug, change }
    },
  })
}

export const lectureUndoing = operation({
  ...managing,
  name: 'undo-lectures',
  find: byNumber,
  events: ['course-lectures-changed'],
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    const outcome = await undoChange(write, courseId, part)
    if (outcome === 'undone') note('course-lectures-changed', { courseId })
    return { slug, outcome }
  },
})
