import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../database/schema.ts'
import { testDatabase } from '../testing/database.ts'
import { renderLetter } from './letter.ts'
import { mailServer } from './mail-server.ts'
import { type Mail, mailsToSend } from './renewal.ts'
import { aLetter, aMailServer, someMail } from './testing.ts'

const never = new AbortController().signal

suite('a letter', () => {
  test('says the same as plain text and as HTML', () => {
    const { text, html } = renderLetter(aLetter({ paragraphs: ['One & two.', '<b>Three</b>'] }))
    assert.match(text, /^One & two\.\n\n<b>Three<\/b>\n\nLook:\nhttps:\/\/forum\.example\/look\n\n-- \n/)
    assert.match(html, /<p [^>]*>One &amp; two\.<\/p>/)
    assert.match(html, /&lt;b&gt;Three/)
    assert.equal(html.match(/https:\/\/forum\.example\/look/g)?.length, 2)
    assert.doesNotMatch(html, /<script|<img|<link/)
  })

  test('arrives whole in Korean, with the headers of a mail nobody typed', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, { language: 'ko', subject: '새 비밀번호', paragraphs: ['안녕하세요.'] })
    const mail = await onlyMail(db)
    await to(server.url).send(mail, never)
    const source = server.arrived[0]?.source ?? ''
    assert.match(source, /^From: Handup <handup@forum\.example>\r?$/m)
    assert.match(source, /^To: mina@example\.org\r?$/m)
    assert.match(source, /^Auto-Submitted: auto-generated\r?$/m)
    assert.match(source, /^Content-Language: ko\r?$/m)
    assert.match(source, /^Content-Type: multipart\/alternative/m)
    const subject = /^Subject: =\?UTF-8\?B\?(.*)\?=\r?$/m.exec(source)?.[1] ?? ''
    assert.equal(Buffer.from(subject, 'base64').toString(), '새 비밀번호')
  })

  test('ends no header, whatever is in its subject, and goes to one address', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    await someMail(db, { subject: 'Hello\r\nBcc: all@example.org\n\nBody\0\u0085' })
    const mail = await onlyMail(db)
    assert.equal(mail.subject, 'Hello Bcc: all@example.org Body ')
    // Even if such a value were in the outbox, it could not end the header.
    await to(server.url).send({ ...mail, subject: 'x\r\nBcc: all@example.org' }, never)
    assert.doesNotMatch(server.arrived[0]?.source ?? '', /^Bcc:/m)
    assert.deepEqual(server.arrived[0]?.to, ['mina@example.org'])
    for (const address of ['a@b.c\r\nBcc: x@y.z', 'a b@example.org', 'nobody', '@example.org']) {
      await assert.rejects(someMail(db, { to: address }), /mails_recipient_form/, address)
    }
  })
})

function to(url: string) {
  return mailServer({ url, from: 'handup@forum.example', host: 'forum.example' })
}

async function onlyMail(db: Database): Promise<Mail> {
  const { id } = await db.selectFrom('mails').select('id').executeTakeFirstOrThrow()
  const mail = (await mailsToSend(db, [id], {})).get(id)
  assert.ok(mail !== undefined && 'key' in mail)
  return mail
}
