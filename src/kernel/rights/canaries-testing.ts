import { insertLinked } from '../../accounts/providers/linked-accounts.ts'
import { SECRET_PURPOSE } from '../../accounts/providers/provider.ts'
import { addProviderRow } from '../../accounts/providers/row-testing.ts'
import { beginSignIn, keepUnlinked } from '../../accounts/providers/sign-ins.ts'
import type { Database } from '../../database/schema.ts'
import { makeReplyAddress } from '../../forum/answering-by-mail/keys.ts'
import { readMail } from '../../forum/answering-by-mail/read-mail.ts'
import { type Outcome, receiveMail } from '../../forum/answering-by-mail/receive.ts'
import { setEndorsement } from '../../forum/answers/endorsement.ts'
import { caseOf, decided, reported } from '../../forum/cases/testing.ts'
import { addMember } from '../../forum/courses/commands.ts'
import { assignQuestion } from '../../forum/desk/assignment.ts'
import { saveDraft } from '../../forum/drafts/draft.ts'
import { agentPlace } from '../../forum/drafts/text-form.ts'
import { followInstead, setFollowing } from '../../forum/follows/following.ts'
import type { PostKey } from '../../forum/posts/kinds.ts'
import { pinQuestion } from '../../forum/posts/pin.ts'
import { hidePost, holdPost } from '../../forum/posts/removal.ts'
import { castVote } from '../../forum/posts/vote.ts'
import { noteOpening } from '../../forum/search/learning/signals.ts'
import { seal } from '../../secrets/sealed.ts'
import { SECRET } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import {
  aCourse,
  aMember,
  anAnswer,
  anUnclaimedPerson,
  aPerson,
  aQuestion,
  aReply,
  asImported,
  type MadeAnswer,
  type MadeCourse,
  type MadePerson,
  type MadeQuestion,
} from '../../testing/builders.ts'
import { within } from '../../testing/within.ts'
import { newToken } from '../../web/tokens.ts'
import { type Addressed, SUBJECT, WORDS } from './secrets-testing.ts'

/** Where canaries are planted: a public course, a question in it that becomes private, and one whose posts lose their names. */
export interface Field {
  readonly db: Database
  readonly course: MadeCourse
  /** Asks what becomes private. */
  readonly asker: MadePerson
  readonly staff: MadePerson
  /** Was of the staff, worked at the desk, and is a learner once the question is private. */
  readonly former: MadePerson
  /** Writes a question, an answer and a reply that lose the name. */
  readonly hidden: MadePerson
  readonly classmate: MadePerson
  /** Writes what moderators hide. */
  readonly hiddenAuthor: MadePerson
  readonly question: MadeQuestion
  readonly answer: MadeAnswer
  readonly open: MadeQuestion
}

/** Words that no other text has, by who may know them: the asker and staff; staff alone; `hiddenAuthor` and staff. */
interface Canaries {
  readonly private?: readonly string[]
  readonly name?: readonly string[]
  readonly hidden?: readonly string[]
  /** Words that only handlers of cases may read. */
  readonly staff?: readonly string[]
  /** Words that only `hiddenAuthor` reads, of their own account: no staff either. */
  readonly own?: readonly string[]
  /** Words that no one reads at all. */
  readonly never?: readonly string[]
  /** The case that has them. */
  readonly caseId?: number
}

const pinned = { until: new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10), timeZone: 'UTC' }

export const NAME = 'Zyxquarkhidden'
export const TAG = 'zyxquarkkepttag'
/** Begins each word of a post that is hidden, or stands below one. */
export const HIDDEN = 'zyxquarkveiled'
/** The same of one that is held. */
export const HELD = 'zyxquarkheldup'

/**
 * Whoever adds something that belongs to a question, or names an author, plants a word here: in the row that only those who
 * read the question may see, or beside a post of `hidden`. canaries.test.ts then looks for it everywhere, as everybody.
 */
const PLANTERS: Readonly<Record<string, (field: Field) => Promise<Canaries>>> = {
  'the private question': async () => ({
    private: ['zyxquarkkepttitle', 'zyxquarkkeptbody', TAG, 'zyxquarkkeptanswer'],
  }),
  'the name on anonymous posts': async () => ({ name: [NAME, NAME.toLowerCase()] }),
  // Their course's instructors see them where they answer and invite, which no sweep asks for.
  'the names that a list has of who is invited, and of whose role waits for a yes': async ({
    db,
    course,
  }) => {
    const invited = { course_id: course.id, email: 'invited@listed.example', name: 'Zyxquarkinvited Park' }
    await db
      .insertInto('pending_roles')
      .values({ ...invited, role: 'learner' })
      .execute()
    const asked = { course_id: course.id, email: 'asked@listed.example', name: 'Zyxquarkasked Lee' }
    await db
      .insertInto('asked_roles')
      .values({ ...asked, role: 'instructor' })
      .execute()
    return { never: ['Zyxquarkinvited', 'Zyxquarkasked', 'invited@listed', 'asked@listed'] }
  },
  'the address of somebody whom an import brought': async ({ db, course, open }) => {
    const email = 'zyxquarkimported@kept.example'
    const unclaimed = await anUnclaimedPerson(db, course, { displayName: 'Somebody of before', email })
    await anAnswer(db, { question: open, author: unclaimed, body: 'Said before.' })
    await asImported(db, unclaimed)
    return { never: ['zyxquarkimported'] }
  },
  'a reply under the private answer': async ({ db, answer, staff }) => {
    await aReply(db, { answer, author: staff, body: 'More of it: zyxquarkkeptreply' })
    return { private: ['zyxquarkkeptreply'] }
  },
  'a report about the private question, and what staff wrote in its case': async ({
    db,
    question,
    staff,
  }) => {
    const subject = { about: 'question', id: question.id } as const
    await reported(db, subject, null, { note: 'It says zyxquarkkeptreport' })
    const matter = await caseOf(db, subject)
    await decided(db, staff.id, matter, [], {
      staffNote: 'zyxquarkkeptstaffnote',
      reporterNote: 'zyxquarkkepttoreporter',
    })
    return {
      staff: ['zyxquarkkeptreport', 'zyxquarkkeptstaffnote', 'zyxquarkkepttoreporter'],
      caseId: matter.id,
    }
  },
  'what somebody did at the desk who is not of the staff any more': async ({
    db,
    course,
    former,
    ...field
  }) => {
    const { question, open, staff } = field
    const by = { questionId: question.id, courseId: course.id, seen: undefined }
    await aReply(db, { question, author: former })
    await within(db, assignQuestion, { ...by, assigneeId: former.id, actorId: staff.id })
    const said = await anAnswer(db, { question, author: field.classmate })
    await within(db, setEndorsement, question.id, said.id, former.id)
    await within(db, pinQuestion, { ...pinned, questionId: open.id, actorId: former.id })
    return {}
  },
  'what an email quoted, and what it had below that': async ({ db, open, hiddenAuthor }) => {
    const to = await replyAddressOf(db, hiddenAuthor, open)
    const quoted = `27.11.2026 01:15, Handup <${to}>:\n\n> zyxquarkquoted\n\nzyxquarkleftout`
    const source = `From: ${hiddenAuthor.email}\nTo: ${to}\n\n${HIDDEN}bymail\n\n${quoted}`
    const outcome = await receiveMail(db, BY_MAIL, await readMail(Buffer.from(source)))
    if (outcome !== 'posted') throw new Error(outcome)
    return { hidden: [`${HIDDEN}bymail`], own: ['zyxquarkleftout'], never: ['zyxquarkquoted', to] }
  },
  'mentions of who is anonymous, and in the private question': async ({
    db,
    open,
    question,
    hidden,
    ...field
  }) => {
    const body = `@[Somebody](person:${hidden.id}) knows.`
    await anAnswer(db, { question: open, author: field.classmate, body })
    const kept = `@[Staff](person:${field.staff.id}) and @[zyxquarkkeptmention](person:999999999) know.`
    await aReply(db, { question, author: field.asker, body: kept })
    return { private: ['zyxquarkkeptmention'] }
  },
  'what the bell tells of who is anonymous later': async ({ db, open, hidden, ...field }) => {
    for (const { id } of [field.classmate, field.asker, field.former])
      await within(db, setFollowing, open.id, id, 'follow')
    await anAnswer(db, { question: open, author: hidden, body: 'Told by the bell.' })
    return {}
  },
  // Everybody finds these while the question is open; what was learned from it is told to nobody once it is not.
  'words by which others found the private question, and words of it by which they found another one':
    async ({ db, course, question, open, classmate, asker, staff }) => {
      await within(db, followInstead, open.id, classmate.id, 'zyxquarkkepttitle zyxquarkkeptbody')
      await within(db, followInstead, question.id, classmate.id, 'zyxquarkkepttitle')
      const searchers = [
        classmate,
        staff,
        ...(await Promise.all([1, 2, 3, 4].map(() => aMember(db, course)))),
      ]
      const joined_at = new Date(Date.now() - 2 * 86_400_000)
      const signing = { secret: 'a secret', needsConfirmed: false }
      for (const { id: personId } of [...searchers, asker]) {
        await db.updateTable('people').set({ joined_at }).where('id', '=', personId).execute()
        await noteOpening(db, signing, { questionId: question.id, personId, subject: 'zyxquarkkepttitle' })
      }
      return {}
    },
  // Everybody finds these until moderators hide them, or they are held.
  'a hidden question, a hidden answer with a reply, and a hidden reply': (field) => takenAway(field, HIDDEN),
  'a held question, a held answer with a reply, and a held reply': (field) => takenAway(field, HELD),
  // A case of who may read on: both are told why, in different words.
  'what staff wrote of a reported answer: to its author, and among themselves': async ({
    db,
    open,
    hiddenAuthor: author,
    staff,
  }) => {
    const { id } = await anAnswer(db, { question: open, author, body: 'Look it up.' })
    const subject = { about: 'answer', id } as const
    await reported(db, subject, null, { note: 'zyxquarkreport' })
    const matter = await caseOf(db, subject)
    const said = {
      note: 'zyxquarktoauthor',
      staffNote: 'zyxquarkamongstaff',
      reporterNote: 'zyxquarktoreporter',
    }
    await decided(db, staff.id, matter, ['warn'], said)
    return {
      staff: ['zyxquarkreport', ...Object.values(said)],
      caseId: matter.id,
    }
  },
  // A link to a question shows its title to who may read that one.
  'links to the private question and to a hidden one, and drafts of answers to them': async ({
    db,
    course,
    question,
    classmate,
    hiddenAuthor,
  }) => {
    const hidden = await db
      .selectFrom('questions')
      .select('id')
      .where('author_id', '=', hiddenAuthor.id)
      .executeTakeFirstOrThrow()
    const body = `As in #${question.id} and #${hidden.id}.`
    // Nothing else of that page changes as they are hidden.
    await aQuestion(db, { course, author: classmate, title: 'Which of the two?', body })
    for (const { id } of [question, hidden]) {
      const draft = { place: `/questions/${id}/answers`, version: 0 }
      await saveDraft(db, { ...draft, personId: classmate.id, fields: { body } })
      const quoting = { body: `> ${id}: zyxquarkdraft` }
      await saveDraft(db, { ...draft, personId: hiddenAuthor.id, fields: quoting })
      const byAgent = { body: 'zyxquarkdrafted', client: 'zyxquarkagent' }
      await saveDraft(db, { ...draft, place: agentPlace(id), personId: hiddenAuthor.id, fields: byAgent })
    }
    return { own: ['zyxquarkdraft', 'zyxquarkdrafted', 'zyxquarkagent'] }
  },
  'an account at a provider that is linked, one that waits to be, and the secret of the client': async ({
    db,
    hiddenAuthor,
  }) => {
    const id = await addProviderRow(db, 'google', 'Google')
    const client_secret = seal([SECRET], SECRET_PURPOSE, id, 'zyxquarkclientsecret')
    const edited = { preset: 'google', issuer: 'https://accounts.google.com', client_secret } as const
    await db.updateTable('identity_providers').set(edited).where('id', '=', id).execute()
    const account = {
      ...{ issuer: edited.issuer, subject: 'zyxquarksubject', name: 'zyxquarknamethere' },
      ...{ email: 'zyxquarkthere@example.org', isEmailVerified: true, sid: 'zyxquarksid', roleValues: null },
    }
    await within(db, insertLinked, hiddenAuthor.id, id, account)
    const begun = { providerId: id, browser: newToken(), path: '/', personId: null, isAgain: false }
    const { state } = await beginSignIn(db, begun)
    await within(db, keepUnlinked, state, { ...account, subject: 'zyxquarkwaiting' })
    return {
      own: ['zyxquarkthere'],
      never: [
        'zyxquarkclientsecret',
        'zyxquarksid',
        'zyxquarkwaiting',
        'zyxquarknamethere',
        'zyxquarksubject',
      ],
    }
  },
  'votes and followers': async ({ db, question, answer, classmate, hidden, open }) => {
    for (const { id } of [classmate, hidden]) {
      await castVote(db, { kind: 'question', id: question.id }, id, true)
      await castVote(db, { kind: 'answer', id: answer.id }, id, true)
      await within(db, setFollowing, question.id, id, 'follow')
    }
    await within(db, setFollowing, open.id, classmate.id, 'follow')
    return {}
  },
}

/** Plants all of it. @returns all words of each kind, and the cases that have them */
export async function plantAll(field: Field) {
  const planted: Canaries[] = []
  for (const plant of Object.values(PLANTERS)) planted.push(await plant(field))
  const words = (kind: Exclude<keyof Canaries, 'caseId'>) => planted.flatMap((one) => one[kind] ?? [])
  return {
    ...{ kept: words('private'), names: words('name'), hidden: words('hidden') },
    ...{ ofStaff: words('staff'), own: words('own'), never: words('never') },
    cases: planted.flatMap(({ caseId }) => (caseId === undefined ? [] : [`/cases/${caseId}`])),
  }
}

export async function aField(db: Database): Promise<Field> {
  const course = await aCourse(db, { slug: WORDS.slug, lectures: ['One'] })
  await db.updateTable('courses').set({ allows_anonymous: true }).where('id', '=', course.id).execute()
  const lectureId = course.lectureIds[0] ?? 0
  const [asker, classmate] = [await aMember(db, course), await aMember(db, course)]
  const staff = await aMember(db, course, 'assistant')
  const former = await aMember(db, course, 'assistant')
  const hidden = await aPerson(db, { displayName: NAME })
  const hiddenAuthor = await aMember(db, course)
  const question = await aQuestion(db, {
    ...{ course, lectureId, author: asker },
    title: `The ${SUBJECT}, zyxquarkkepttitle`,
    body: `I look for the ${SUBJECT}: zyxquarkkeptbody`,
    tags: [TAG, 'http'],
  })
  const answer = await anAnswer(db, { question, author: staff, body: 'It is 201. zyxquarkkeptanswer' })
  const open = await aQuestion(db, {
    course,
    lectureId,
    author: hidden,
    title: `A ${SUBJECT}`,
    tags: ['http'],
  })
  const named = await anAnswer(db, { question: open, author: hidden, body: 'Perhaps 200.' })
  await aReply(db, { answer: named, author: hidden, body: 'Or 204.' })
  await anAnswer(db, { question: open, author: classmate, body: 'No, 201.' })
  return { db, course, asker, staff, former, hidden, classmate, hiddenAuthor, question, answer, open }
}

export async function addressesIn({ db, course, ...field }: Field): Promise<Addressed> {
  const ids = async (table: PostKey['table']) =>
    (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => id)
  return {
    course: [course.slug],
    tag: [TAG, `${HIDDEN}tag`, 'http'],
    questions: await ids('questions'),
    answers: await ids('answers'),
    replies: await ids('replies'),
    people: [
      field.asker.id,
      field.staff.id,
      field.former.id,
      field.hidden.id,
      field.classmate.id,
      field.hiddenAuthor.id,
    ],
  }
}

const BY_MAIL = {
  replyAddress: 'reply@forum.example',
  baseUrl: 'https://forum.example',
  keys: ['x'.repeat(32)] as const,
  log: () => undefined,
}

/** Where that person answers an email about the question. */
function replyAddressOf(db: Database, { id }: MadePerson, question: MadeQuestion): Promise<string> {
  return db
    .transaction()
    .execute((write) => makeReplyAddress(write, BY_MAIL.replyAddress, id, question.id, null))
}

/**
 * Who is anonymous answers by mail, as Korean Outlook sends it, with the name in the header above the quotation and in an attachment;
 * and again with the name below the text. @returns what became of both
 */
export async function answersByMail({ db, hidden, open }: Field): Promise<Outcome[]> {
  const to = await replyAddressOf(db, hidden, open)
  const quoted = [
    `보낸 사람: Handup <${to}>`,
    '보낸 날짜: 2026년 11월 23일 월요일 오전 10:00',
    `받는 사람: ${NAME}`,
    '제목: x',
  ]
  const outcomes: Outcome[] = []
  for (const text of [
    ['zyxquarkbymail', '', ...quoted],
    ['Thank you.', NAME, 'Example University'],
  ]) {
    const lines = [
      ...[`From: ${NAME} <${hidden.email}>`, `To: ${to}`, `Message-ID: <${text[0]}@example.com>`],
      ...[
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=utf-8',
        '',
      ],
      ...[...text, '--b', `Content-Disposition: attachment; filename="${NAME}_CV.pdf"`, '', 'x', '--b--'],
    ]
    outcomes.push(await receiveMail(db, BY_MAIL, await readMail(Buffer.from(lines.join('\r\n')))))
  }
  return outcomes
}

/** Posts of `hiddenAuthor`, each with a word that begins alike, and of others below them. */
async function takenAway({ db, course, open, ...field }: Field, word: string): Promise<Canaries> {
  const { hiddenAuthor: author, classmate, staff } = field
  const question = await aQuestion(db, {
    ...{ course, author, title: `The ${SUBJECT}, ${word}title`, body: `${word}body`, tags: [`${word}tag`] },
  })
  await anAnswer(db, { question, author: staff, body: `It is 201. ${word}below` })
  const answer = await anAnswer(db, { question: open, author, body: `It is 202. ${word}answer` })
  await aReply(db, { answer, author: staff, body: `Why ${word}thanks?` })
  await aReply(db, { question: open, author, body: `Which ${word}reply?` })
  for (const { id } of [classmate, field.asker, field.former])
    await within(db, setFollowing, question.id, id, 'follow')
  return { hidden: ['title', 'body', 'tag', 'below', 'answer', 'thanks', 'reply'].map((end) => word + end) }
}

/**
 * The question becomes private, what `hidden` wrote loses the name, so that nothing else tells that they were ever here, and what
 * `hiddenAuthor` wrote is hidden.
 */
export async function hide({ db, course, question, hidden, hiddenAuthor, former }: Field): Promise<void> {
  for (const table of ['questions', 'answers', 'replies'] as const) {
    await db.updateTable(table).set({ is_anonymous: true }).where('author_id', '=', hidden.id).execute()
    const posts = await db
      .selectFrom(table)
      .select(['id', 'body'])
      .where('author_id', '=', hiddenAuthor.id)
      .execute()
    for (const { id, body } of posts)
      await (body.includes(HELD)
        ? within(db, holdPost, { table, id }, 'all')
        : within(db, hidePost, { table, id }))
  }
  await db.deleteFrom('course_members').where('person_id', '=', hidden.id).execute()
  await within(db, addMember, course.id, former.id, 'learner')
  await setAudience(db, question.id, 'staff')
}
