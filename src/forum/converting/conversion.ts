import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { optional, whole } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { type FieldError, Refused, refusal } from '../../kernel/problem.ts'
import { excerpt } from '../../text/plain.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam } from '../../web/params.ts'
import { bylineOf } from '../authors/byline.ts'
import { FIND, questionOf } from '../posts/find.ts'
import { REPLY_BODY } from '../posts/form.ts'
import { type BelowTable, KINDS } from '../posts/kinds.ts'
import { type LockedPost, SUBJECTS } from '../posts/lock.ts'
import { answerRecords } from '../posts/records.ts'
import { notifyOfConversion } from '../telling/tell-posts.ts'
import { convert, OTHER, undoConversion } from './convert.ts'

const TABLES = ['answers', 'replies'] as const
const MAX_ID = 999_999_999_999_999

/** `answer`: the answer that a reply is under then; left out: the question. Of a reply, which becomes an answer, there is nothing to say. */
const FIELDS = {
  answers: { answer: optional(whole(MAX_ID, 'converting.refused.under')) },
  replies: {},
} as const

/** Makes a reply of an answer, and an answer of a reply, within their question. @throws Refused with all that is against it */
export const CONVERSIONS = {
  answers: operation({
    ...common('answers'),
    input: FIELDS.answers,
    run: (doing) => run(doing, 'answers', doing.input.answer),
  }),
  replies: operation({
    ...common('replies'),
    input: FIELDS.replies,
    run: (doing) => run(doing, 'replies', null),
  }),
}

/** Takes that back within an hour. Of the kind that it is now. */
export const CONVERSION_UNDOS = {
  answers: undoing('answers'),
  replies: undoing('replies'),
}

function common<Table extends BelowTable>(table: Table) {
  return {
    name: `convert-${KINDS[table].kind}`,
    right: 'convert',
    find: SUBJECTS[table],
    limit: 'voting',
    events: ['post-converted'],
  } as const
}

type Converting = Doing<unknown, LockedPost, 'post-converted'>

async function run({ write, actor, subject, note }: Converting, table: BelowTable, under: number | null) {
  const { id: fromId, questionId, authorId } = subject
  const errors = await refusals(write, table, fromId)
  if (errors.length > 0) throw new Refused(errors)
  if (under !== null && (under === fromId || !(await isShownThere(write, questionId, under))))
    throw refusal('answer', 'converting.refused.under')
  const id = await convert(write, { table, id: fromId, questionId }, under)
  const to = OTHER[table]
  await notifyOfConversion(write, { questionId, [`${KINDS[to].kind}Id`]: id }, authorId, personOf(actor).id)
  note('post-converted', { kind: KINDS[to].kind, id, formerId: fromId, act: 'converted' })
  return { id, table: to, question: questionOf(subject) }
}

function undoing(table: BelowTable) {
  return operation({
    ...common(table),
    name: `undo-conversion-to-${KINDS[table].kind}`,
    async run({ write, subject, note }) {
      const { id: fromId, questionId } = subject
      const errors = await refusals(write, table, fromId)
      if (errors.length > 0) throw new Refused(errors)
      const id = await undoConversion(write, { table, id: fromId, questionId })
      const question = questionOf(subject)
      // It was undone already, or longer ago than an hour.
      if (id === null) return { id: fromId, table, question, isUndone: false }
      const to = OTHER[table]
      note('post-converted', { kind: KINDS[to].kind, id, formerId: fromId, act: 'undone' })
      return { id, table: to, question, isUndone: true }
    },
  })
}

async function isShownThere(write: Write, questionId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from answers where id = ${id} and question_id = ${questionId} and is_shown`.execute(write)
  return rows.length > 0
}

/**
 * Why a post can't be converted: all of it. An answer is too long for a reply, or is accepted or endorsed; staff have yet to decide about
 * it; it is hidden or held, or under what is, or what is deleted.
 */
async function refusals(db: Database | Write, table: BelowTable, id: number): Promise<FieldError[]> {
  const { rows } = await sql<{ why: string[] }>`
    select array_remove(array[${table === 'answers' ? WHY_NO_REPLY : sql`null`},
      case when post.held_at is not null then 'held' when post.hidden_at is not null then 'hidden'
        when not post.is_shown or not q.is_shown or ${table === 'replies' ? isBelowAbsent : sql`false`} then 'parent' end,
      case when exists (select from cases where cases.${sql.ref(KINDS[table].column)} = post.id and cases.state = 'open') then 'case' end
    ], null) as why
    from ${sql.table(table)} as post join questions as q on q.id = post.question_id where post.id = ${id}`.execute(
    db,
  )
  const why = rows[0]?.why ?? []
  return why.map((one) => ({ field: 'answer', message: { key: `converting.refused.${one}` } }))
}

/** Whether the reply of alias `post` is under an answer that isn't shown. */
const isBelowAbsent = sql`exists (select from answers where answers.id = post.answer_id and not answers.is_shown)`

const WHY_NO_REPLY = sql`
  case when char_length(post.body) > ${sql.lit(REPLY_BODY.max)} then 'long' end,
  case when post.id = q.accepted_answer_id then 'accepted' end,
  case when post.endorsed_at is not null then 'endorsed' end`

export function registerConverting(app: FastifyInstance): void {
  for (const table of TABLES) {
    const to = OTHER[table]
    const address = `/${table}/:id/conversion`
    const key = (request: FastifyRequest) => idParam(request, 'id')
    const show = (request: FastifyRequest, reply: Parameters<typeof showConverting>[1], form?: FormState) =>
      showConverting(request, reply, table, form)
    const formPage = (request: FastifyRequest) => `/${table}/${key(request)}/conversion`
    const done = (done: Awaited<ReturnType<typeof run>>) => KINDS[done.table].path(done.question, done.id)
    app.get(address, (request, reply) => {
      request.requirePerson()
      return show(request, reply)
    })
    openForm<number, Awaited<ReturnType<typeof run>>>(app, address, CONVERSIONS[table], {
      ...{ key, formPage, done, refused: show },
      flash: (_, made) =>
        made === null
          ? `converting.flash.${to}`
          : { said: `converting.flash.${to}`, act: `/${to}/${made.id}/conversion/undo` },
    })
    openForm(app, `${address}/undo`, CONVERSION_UNDOS[table], {
      ...{ key, formPage, done },
      flash: (_, undone) => `converting.flash.${undone?.isUndone === false ? 'late' : 'undone'}`,
      refused: show,
    })
  }
}

const EXCERPT = 80

/** What is lost and what comes along, and of an answer what it shall be under. */
export const showConverting = page(
  'converting/show',
  { robots: 'noindex' },
  async (context, table: BelowTable, form: FormState = freshForm()) => {
    const { t, db, formFields, person } = context
    const converter = person()
    const post = await FIND[table](db, converter, idParam(context, 'id'), 'convert')
    const isAnswer = table === 'answers'
    const against = form.errors.length > 0 ? form.errors : await refusals(db, table, post.id)
    const others = isAnswer ? await answerRecords.ofQuestions(db, converter, [post.questionId]) : []
    const own = others.find(({ id }) => id === post.id)
    const options = others
      .filter(({ id }) => id !== post.id)
      .map((one) => {
        const name = bylineOf({ t, viewer: converter }, one, post.courseId).text
        return {
          value: one.id,
          text: t('converting.answer.one', { name, text: excerpt(one.body_html, EXCERPT) }),
        }
      })
    const { answer } = formFields(
      'converting',
      FIELDS.answers,
      { ...form, errors: against },
      {
        answer: { options: [{ value: '', text: t('converting.answer.question') }, ...options] },
      },
    )
    const isRefused = against.some(({ message }) => message.key !== 'converting.refused.under')
    const back = KINDS[table].path(questionOf(post), post.id)
    return {
      title: t(`converting.title.${table}`),
      question: { text: post.title, path: back },
      errors: against.map(({ field, message }) => ({ field, text: t(message.key, message.values) })),
      action: `/${table}/${post.id}/conversion`,
      answer: isAnswer ? answer : null,
      isRefused,
      text: t(`converting.text.${table}`),
      lost:
        own === undefined || own.votes_count === 0 ? null : t('converting.votes', { count: own.votes_count }),
      replies:
        own === undefined || own.replies_count === 0
          ? null
          : t('converting.replies', { count: own.replies_count }),
      button: t(`converting.button.${table}`),
    }
  },
)
