import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aCourse,
  aMember,
  anAnswer,
  aPerson,
  aQuestion,
  aReply,
  type MadePerson,
} from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aField, answersByMail, type Field, HIDDEN, hide, NAME, plantAll } from './canaries-testing.ts'
import { everybodyHears } from './hearing-testing.ts'

test('no mail, in any header or part, and no push tells of a private question or a hidden post, or the name behind an anonymous post', async (t) => {
  const db = await testDatabase(t)
  const field = await aField(db)
  const planted = await plantAll(field)
  const { names } = planted
  const [kept, hidden] = [
    [...planted.kept, 'zyxquarkkeptlater'],
    [...planted.hidden, `${HIDDEN}later`],
  ]
  const elsewhere = await aMember(db, await aCourse(db), 'instructor')
  const people = {
    ...{ outsider: await aPerson(db), 'instructor elsewhere': elsewhere, classmate: field.classmate },
    ...{ 'former staff': field.former, asker: field.asker, staff: field.staff },
    admin: await aPerson(db, { isAdmin: true }),
  }
  const { course, question, open: other } = field
  const hearing = await everybodyHears(t, db, Object.values(people), { course, questions: [question, other] })
  const told = async () => {
    const heard = await hearing.hear()
    return (person: MadePerson) => ({
      mail: heard(person).mails.join('\n'),
      pushes: heard(person).pushes.join('\n'),
    })
  }

  // While all of it is open, everybody is told of it.
  await happen(field, false)
  const open = await told()
  for (const [name, person] of Object.entries(people)) {
    const { mail, pushes } = open(person)
    for (const word of ['zyxquarkkepttitle', 'zyxquarkkeptlater'])
      assert.ok(mail.includes(word), `a mail tells ${name} what is open`)
    assert.ok(mail.includes(NAME), `a mail names to ${name} who wrote`)
    assert.ok(pushes.includes('zyxquarkkepttitle') && pushes.includes(NAME), `a push tells ${name}`)
  }

  // What waits to be told as it becomes private, as mails that are written and not sent, and not written yet; and what comes afterwards.
  await happen(field, false)
  await anAnswer(db, { question: other, author: field.hiddenAuthor, body: `${HIDDEN}later` })
  await hearing.writeMails()
  const waiting = JSON.stringify(await db.selectFrom('mails').select(['text', 'html']).execute())
  for (const word of ['zyxquarkkeptlater', NAME, `${HIDDEN}later`])
    assert.ok(waiting.includes(word), `${word} waits`)
  await happen(field, false)
  await hide(field)
  await happen(field, true)
  assert.deepEqual(await answersByMail(field), ['posted', 'refused'])
  const closed = await told()
  for (const [name, person] of Object.entries(people)) {
    const { mail, pushes } = closed(person)
    const isStaff = name === 'staff' || name === 'admin'
    const unentitled = isStaff ? hidden : [...(name === 'asker' ? [] : kept), ...names, ...hidden]
    const leaks = unentitled.filter((word) => `${mail}${pushes}`.includes(word))
    assert.deepEqual(leaks, [], `what ${name} is told`)
    // Of the anonymous posts all are told.
    assert.ok(mail.includes('zyxquarkopenlater') && pushes !== '', `${name} is told what they may know`)
    if (isStaff || name === 'asker') assert.ok(mail.includes('zyxquarkkeptlater'), name)
    if (isStaff) assert.ok(mail.includes(NAME) && pushes.includes(NAME), `${name} sees names`)
    assert.ok(mail.includes('zyxquarkbymail'), `${name} is told of an answer by mail`)
  }
})

/** Posts in the private question, and by `hidden` in the open one and in a new one. */
async function happen({ db, ...field }: Field, isHidden: boolean): Promise<void> {
  const { question, open, hidden, course } = field
  // Of the staff, so that the asker and others of the staff are told.
  const author = await aMember(db, course, 'assistant')
  await aReply(db, { question, author, body: 'More: zyxquarkkeptlater' })
  await anAnswer(db, { question, author, body: 'And this: zyxquarkkeptlater' })
  const own = { author: hidden, isAnonymous: isHidden, body: 'Open: zyxquarkopenlater' }
  await anAnswer(db, { ...own, question: open })
  await aReply(db, { ...own, question: open })
  await aQuestion(db, { ...own, course })
}
