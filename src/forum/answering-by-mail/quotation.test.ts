import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aboveQuotes, splitMail, tellsSecret } from './quotation.ts'
import { readMail } from './read-mail.ts'

const TEXT = ['Thank you.', '', 'It works: see the date.'].join('\n')
const SIGN = 'Bert Learner'
const F = 'Handup <reply@forum.example>'
const OURS = { replyAddress: 'reply@forum.example', baseUrl: 'https://forum.example' }
const SECRET = `reply+${'a1b2c3d4e5'.repeat(4)}@forum.example`
const MARK = 'Reply to this email to post under the question. Only what you write above this line is posted.'
const GMAIL = `On Fri, Nov 27, 2026 at 1:15 AM Handup <${SECRET}> wrote:`
const QUOTED = `${GMAIL}\n\n> ${MARK}\n>\n> Mara Ilić answered`

const split = (text: string, subject = 'Re: Verbs') => splitMail(text, OURS, subject)
const written = (text: string) => split(text).text
/** What an email says and leaves out. */
async function splitSource(body: string, type = 'text/plain; charset=utf-8') {
  const head = ['From: Bert <bert@example.com>', 'Subject: Re: Verbs', `Content-Type: ${type}`, '']
  const mail = await readMail(Buffer.from([...head, body.replaceAll('\n', '\r\n')].join('\r\n')))
  return { ...mail, ...split(mail.text, mail.subject) }
}

/** What programs write above the mail that is answered, each with the name or the address of whoever answers somewhere in it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Outlook, English': `From: ${F}\nSent: Monday, November 23, 2026 10:00 AM\nTo: ${SIGN} <bert@example.com>\nSubject: Verbs`,
  'Outlook, English, with a line': `________________________________\nFrom: ${F}\nSent: Monday\nTo: ${SIGN}\nSubject: x`,
  'Outlook, bold': `**From:** ${F}\n**Sent:** Monday, November 23, 2026 10:00 AM\n**To:** ${SIGN}\n**Subject:** x`,
  'Outlook, Korean': `보낸 사람: ${F}\n보낸 날짜: 2026년 11월 23일 월요일 오전 10:00\n받는 사람: ${SIGN} <bert@example.com>\n제목: 동사`,
  'Outlook, German': `Von: ${F}\nGesendet: Montag, 23. November 2026 10:00\nAn: ${SIGN} <bert@example.com>\nBetreff: Verben`,
  'Outlook, Japanese': `差出人: ${F}\n送信日時: 2026年11月23日 10:00\n宛先: ${SIGN} <bert@example.com>\n件名: 動詞`,
  'Outlook, Chinese': `发件人: ${F}\n发送时间: 2026年11月23日 10:00\n收件人: ${SIGN} <bert@example.com>\n主题: 动词`,
  'Outlook, Taiwan': `寄件者: ${F}\n寄件日期: 2026年11月23日 上午 10:00\n收件者: ${SIGN} <bert@example.com>\n主旨: 動詞`,
  'Outlook, older': `-----Original Message-----\nFrom: ${F}\nTo: ${SIGN}`,
  'Outlook, older, German': `-----Ursprüngliche Nachricht-----\nVon: ${F}\nAn: ${SIGN}`,
  'Outlook, older, Korean': `-----원본 메시지-----\n보낸 사람: ${F}\n받는 사람: ${SIGN}`,
  'Outlook, older, Japanese': `-----元のメッセージ-----\n差出人: ${F}\n宛先: ${SIGN}`,
  'Gmail, English': `On Mon, Nov 23, 2026 at 10:00 AM ${F}\nwrote:\n\n> To ${SIGN}`,
  'Gmail, Korean': `2026년 11월 23일 (월) 오전 10:00, ${F}님이 작성:\n\n> ${SIGN}`,
  'Gmail, German': `Am Mo., 23. Nov. 2026 um 10:00 Uhr schrieb ${F}:\n\n> ${SIGN}`,
  'Gmail, Japanese': `2026年11月23日(月) 10:00 ${F}:\n\n> ${SIGN}`,
  'Gmail, Chinese': `${F} 于2026年11月23日周一 10:00写道：\n\n> ${SIGN}`,
  'Gmail, Taiwan': `${F} 於 2026年11月23日 週一 上午10:00寫道：\n\n> ${SIGN}`,
  'Apple Mail, English': `On 23. Nov 2026, at 10:00, ${F} wrote:\n\n> ${SIGN}`,
  'Apple Mail, Korean': `2026. 11. 23. 오전 10:00, ${F} 작성:\n\n> ${SIGN}`,
  'Apple Mail, German': `Am 23.11.2026 um 10:00 schrieb ${F}:\n\n> ${SIGN}`,
  'Apple Mail, Japanese': `2026/11/23 10:00、${F}のメール:\n\n> ${SIGN}`,
  'Apple Mail, Chinese': `在 2026年11月23日，10:00，${F} 写道：\n\n> ${SIGN}`,
  Naver: `-----Original Message-----\nFrom: "Handup" <reply@forum.example>\nTo: "${SIGN}" <bert@example.com>\nCc:\nSent: 2026-11-23 (월) 10:00:00 (GMT+09:00)\nSubject: x`,
  'Naver, Korean': `---------- 원본 메일 ----------\n보낸사람: ${F}\n받는사람: ${SIGN} <bert@example.com>\n날짜: 2026-11-23 (월) 10:00`,
  Daum: `--------- 원본 메일 ---------\n보낸사람 : ${F}\n받는사람 : ${SIGN} <bert@example.com>\n날짜 : 2026년 11월 23일\n제목 : x`,
  'Thunderbird, English': `On 11/23/26 10:00, Handup wrote:\n> ${SIGN}`,
  'Thunderbird, German': `Am 23.11.26 um 10:00 schrieb Handup:\n> ${SIGN}`,
  'Thunderbird, Korean': `26. 11. 23. 오전 10:00에 Handup 이(가) 쓴 글:\n> ${SIGN}`,
  'Thunderbird, Japanese': `On 2026/11/23 10:00, Handup さんは書きました:\n> ${SIGN}`,
  'Thunderbird, Chinese': `在 2026/11/23 10:00, Handup 写道:\n> ${SIGN}`,
  QQ: `------------------ 原始邮件 ------------------\n发件人: ${F}\n收件人: ${SIGN}`,
}

/** The same in other languages, as the program writes it about our email. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  'Outlook, Danish': `Fra: Handup <${SECRET}>\nSendt: 27.11.2026 01:15\nTil: ${SIGN} <bert@example.com>\nEmne: Verbs`,
  'Outlook, French': `De : Handup <${SECRET}>\nEnvoyé : 27.11.2026 01:15\nÀ : ${SIGN} <bert@example.com>\nObjet : Verbs`,
  'Outlook, Polish': `Od: Handup <${SECRET}>\nWysłano: 27.11.2026 01:15\nDo: ${SIGN}\nTemat: Verbs`,
  'Outlook, Finnish, with a line': `________________________________\nLähettäjä: Handup <${SECRET}>\nLähetetty: perjantai 27. marraskuuta 2026 1.15\nVastaanottaja: ${SIGN}\nAihe: Verbs`,
  'Outlook, with the time first': `Date: 27.11.2026 01:15\nFrom: Handup <${SECRET}>\nTo: ${SIGN}\nSubject: Verbs`,
  'Outlook, older, Turkish': `-----Özgün İleti-----\nKimden: Handup [mailto:${SECRET}]\nKime: ${SIGN}`,
  'Gmail, Russian': `пт, 27 нояб. 2026 г. в 01:15, Handup <${SECRET}>:\n\n> ${SIGN}`,
  'Gmail, Spanish, broken': `El vie, 27 nov 2026 a las\n1:15, Handup (<${SECRET}>)\nescribió:\n\n> ${SIGN}`,
  'Gmail, Hebrew': `בתאריך יום ו׳, 27 בנוב׳ 2026 ב-1:15 מאת Handup <‏${SECRET}‏>:\n\n> ${SIGN}`,
  'Gmail, Thai': `ในวันที่ ศ. 27 พ.ย. 2026 เวลา 01:15 Handup <${SECRET}> เขียนว่า:\n\n> ${SIGN}`,
  'Gmail, with the address broken': `On Fri, Nov 27, 2026 at 1:15 AM Handup <${SECRET.slice(0, 20)}\n${SECRET.slice(20)}> wrote:\n\n> ${SIGN}`,
  'Apple Mail, Swedish': `27 nov. 2026 kl. 01:15 skrev Handup <${SECRET}>:\n\n> ${SIGN}`,
  'Yahoo, German, indented': `    Am Freitag, 27. November 2026 um 01:15:00 MEZ hat Handup <${SECRET}> Folgendes geschrieben:  \n\n ${SIGN}`,
  'Yahoo, indented, with the address of the sender': `    On Friday, November 27, 2026 at 01:15:00 AM GMT+1, ${F} wrote:  `,
  'Proton, older': `‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐\nOn Friday, November 27th, 2026 at 01:15, Handup <${SECRET}> wrote:\n\n> ${SIGN}`,
  Seznam: `---------- Původní e-mail ----------\nOd: Handup <${SECRET}>\nKomu: bert@example.com\nDatum: 27. 11. 2026 1:15:00\nPředmět: Verbs`,
  'Yahoo, Dutch': `Op vrijdag 27 november 2026 om 01:15:00 CET schreef Handup <${SECRET}>: \n\n ${SIGN}`,
}

suite('what a mail program quotes', () => {
  for (const [program, header] of Object.entries({ ...HEADERS, ...OTHER_LANGUAGES }))
    test(`is not what was written: ${program}`, async () => {
      for (const end of ['', `\n${header}`]) assert.equal(written(`${TEXT}\n\n${header}${end}`), TEXT)
      for (const gap of ['\n', '\n\n', '\n\n\n'])
        for (const below of [`\n\n${MARK}\n\nBody`, `\n> ${MARK}`])
          assert.equal(written(`${TEXT}${gap}${header}${below}`), TEXT)
      const quoted = header.split('\n').map((line) => `> ${line}`)
      assert.equal(aboveQuotes(split([TEXT, '', ...quoted].join('\n')), OURS).text, TEXT)
      const { text, leftOut, fromName } = await splitSource(`${TEXT}\n\n${header}`)
      // Nothing of ours is in it: it may be the author's own, who is told.
      const said = header.includes('@') ? '' : header
      assert.deepEqual([text, leftOut, fromName], [TEXT, said, 'Bert'])
    })

  test('is known by its shape where programs show no address, directly above our mark alone', () => {
    for (const header of [
      `From: Handup\nSent: Monday, November 23, 2026 10:00 AM\nTo: ${SIGN}\nSubject: Verbs`,
      `---- 원본 메일 ----\n보낸 사람: Handup\n받는 사람: ${SIGN}`,
      'Den 27/11/2026 kl. 01.15 skrev Handup:',
    ]) {
      assert.equal(written(`${TEXT}\n\n${header}\n\n${MARK}`), TEXT)
      assert.equal(written(`${header}\n\n${TEXT}\n\n${MARK}`), `${header}\n\n${TEXT}`)
    }
  })

  test('is also cut off of a mail that has HTML alone', async () => {
    const mail = `<h1>Verbs</h1><p>${MARK}</p><p>Mara answered</p>`
    const link = `<a href="mailto:${SECRET}">${SECRET}</a>`
    for (const [program, html] of Object.entries({
      Gmail: `<div class="gmail_quote"><div class="gmail_attr">Le ven. 27 nov. 2026 à 01:15, Handup &lt;${link}&gt; a écrit :<br></div><blockquote>${mail}</blockquote></div>`,
      Outlook: `<hr><div id="divRplyFwdMsg"><b>Fra:</b> Handup &lt;${SECRET}&gt;<br><b>Sendt:</b> 27. november 2026 01:15<br><b>Til:</b> ${SIGN}<br><b>Emne:</b> Verbs<div>&nbsp;</div></div>${mail}`,
      'Outlook without an address': `<hr><div id="divRplyFwdMsg"><b>보낸 사람:</b> Handup<br><b>보낸 날짜:</b> 2026년<br><b>받는 사람:</b> ${SIGN}<br><b>제목:</b> Verbs</div>${mail}`,
      'Apple Mail': `<div>Sent from my iPhone</div><br><blockquote type="cite">On 27. Nov 2026, at 01:15, Handup &lt;${SECRET}&gt; wrote:<br></blockquote><blockquote type="cite">${mail}</blockquote>`,
      Naver: `<p>-----Original Message-----<br><b>From:</b> ${SIGN} &lt;forum@x.example&gt;<br><b>Cc:</b> <br><b>Subject:</b> Verbs</p>${mail}`,
      'Samsung, in paragraphs': `<div>-------- Ursprüngliche Nachricht --------</div><div>Von: Handup &lt;${SECRET}&gt; </div><div>Datum: 27.11.26  01:15</div><div>An: bert@example.com </div>${mail}`,
      'QQ, in paragraphs': `<div>------------------&nbsp;原始邮件&nbsp;------------------</div><div><div><b>发件人:</b>&nbsp;"Handup" &lt;forum@x.example&gt;;</div><div><b>收件人:</b>&nbsp;${SIGN}</div></div><div><br></div>${mail}`,
      Thunderbird: `<div class="moz-cite-prefix">On 11/27/26 01:15, Handup wrote:<br></div><blockquote type="cite">${mail}</blockquote>`,
    })) {
      const { text } = await splitSource(
        `<div>Use a <b>cursor</b>.</div><br>${html}`,
        'text/html; charset=utf-8',
      )
      assert.equal(text, 'Use a **cursor**.', program)
    }
  })

  test('stands between answers, of which only the first is above it', () => {
    const above = aboveQuotes(split('One.\n> two\nThree, Bert'), OURS)
    assert.deepEqual(above, { text: 'One.', leftOut: 'Three, Bert' })
  })

  test('is left out in silence where it is quoted without signs, also if it quotes somebody itself', () => {
    const old = `${MARK}\n\nMara answered\n\n> What is a cursor?\n\nA pointer.`
    for (const header of [HEADERS['Outlook, German'], OTHER_LANGUAGES['Outlook, Danish']])
      assert.deepEqual(split(`${TEXT}\n\n${header}\n\n${old}`), { text: TEXT, leftOut: '' })
  })

  test('is told its author where only its shape is an old email’s', () => {
    const own = 'On 27.11.2026 at 18:30 I wrote this test:\n\n> assert(1)'
    assert.deepEqual(split(`${TEXT}\n\n${own}`), { text: TEXT, leftOut: own })
  })

  test('is not hidden by a fence without an end, even where the old email seems to end it', () => {
    for (const below of ['', '\n\n```\ncode\n```'])
      for (const header of [GMAIL, 'On 11/27/26 01:15, Handup wrote:'])
        assert.equal(
          written(`Look:\n\n\`\`\`java\nint a;\n\n${header}\n\n${MARK}${below}`),
          'Look:\n\n```java\nint a;',
        )
  })
})

suite('what someone wrote', () => {
  /** Each above our email. */
  const OWN: Readonly<Record<string, string>> = {
    'rules and headings': 'First the query.\n\n---\n\nSecond, the index.\n\n====\n\nA header\n--------',
    'a sentence of when someone wrote':
      'Yesterday at 18:30 I wrote the following test:\n\n    assertEquals(200, status);\n\nIt fails.',
    'a YAML fence': 'This works:\n\n```yaml\n---\nserver:\n  port: 9090\n```\n\nRestart it.',
    'front matter': '---\ntitle: Verbs\ndate: 2026-11-27 10:00\n---\n\nText',
    'a prompt of Python': "Try it:\n\n>>> import json\n>>> json.dumps(1)\n'1'\n\nIt is a string.",
    'a prompt at the end': 'Try it:\n\n>>> import json\n>>> json.dumps(1)',
    'a table and SQL':
      '| verb | safe |\n| ---- | ---- |\n| GET  | yes  |\n\n-- a comment in SQL\nselect 1;\n--\nselect 2;',
    'headers that it is about':
      'The headers:\n\nFrom: a@example.com\nTo: b@example.com\nDate: Fri, 27 Nov 2026 10:00:00 +0000\n\nSo it works.',
    'headers in a fence':
      '```\nVon: Handup <reply@forum.example>\nAn: b@example.com\n> quoted\n-- \nsigned\n```',
    'an indented block of headers':
      'As here:\n\n    From: a@example.com\n    Sent: today\n    To: b@example.com',
    'a quotation of its own': 'The docs say:\n\n> Cursors are fast.\n\nSo I use one.',
    'a quotation at the end': 'On 2026-11-27 the docs said\n\n> Cursors are fast.\n>\n> Really.',
    'quotations before comments': '> What is a cursor?\n\nA pointer.\n\n> And an index?\n\nA tree.',
    'words of devices': 'I sent it from my Android phone.',
    'an indented first line': '    int a = 1;\n\nis enough.',
  }
  for (const [what, own] of Object.entries(OWN))
    test(`stays as it is: ${what}`, () => {
      for (const old of [
        '',
        `\n\n${QUOTED}`,
        `\n\nFra: Handup <${SECRET}>\nSendt: 27.11.2026 01:15\n\n${MARK}`,
      ])
        assert.deepEqual(split(own + old), { text: own, leftOut: '' })
    })

  test('has no signature, which is left out, and no line of an app, which nobody wrote', () => {
    const signed = { text: TEXT, leftOut: 'Bert Learner\nExample University' }
    const signature = '-- \nBert Learner\nExample University'
    assert.deepEqual(split(`${TEXT}\n\n${signature}`), signed)
    assert.deepEqual(split(`${TEXT}\n\n${signature}\n\n${QUOTED}`), signed)
    assert.deepEqual(split(`${TEXT}\n\n${QUOTED}\n\n${signature}`), signed)
    for (const line of [
      ...['Sent from my iPhone', 'Von meinem iPhone gesendet', 'Envoyé de mon iPad'],
      ...[
        'Enviado desde mi Galaxy',
        '나의 iPhone에서 보냄',
        'iPhoneから送信',
        '发自我的iPhone',
        'Отправлено с iPhone',
      ],
      ...['Wysłane z iPhone’a', 'Get [Outlook for Android](https://aka.ms/AAb9ysg)'],
      'Télécharger Outlook pour iOS<https://aka.ms/o0ukef>',
      'Sent with [Proton Mail](https://proton.me/) secure email.',
      'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
      '--\nDiese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.',
    ])
      for (const end of ['', `\n\n${QUOTED}`])
        assert.deepEqual(split(`${TEXT}\n\n${line}${end}`), { text: TEXT, leftOut: '' }, line)
    const long = `${TEXT}\n-- \n${'select 1;\n'.repeat(20)}end`
    assert.deepEqual(split(long), { text: long, leftOut: '' })
  })

  test('is left out between quoted lines and below them, without what programs broke off of our own', () => {
    const quoted = `> ${MARK.slice(0, 70)}\n${MARK.slice(70)}\n> Mara answered`
    const { text, leftOut } = split(
      `Above.\n\n${GMAIL}\n${quoted}\n\nTo this.\nYes.\n\n> more\n\nBelow.\n\n> end`,
    )
    assert.deepEqual([text, leftOut], ['Above.', 'To this.\nYes.\n\nBelow.'])
    const { leftOut: below } = split(
      `${QUOTED}\n\nSee ${SECRET}\nhttps://forum.example/unsubscribe/${'x'.repeat(20)}\nMine.`,
    )
    assert.equal(below, 'Mine.')
  })

  test('is known to have a secret of ours, whole, broken, encoded or quoted', () => {
    const link = `https://forum.example/unsubscribe/${'x'.repeat(20)}`
    for (const text of [
      SECRET,
      SECRET.toUpperCase(),
      `${SECRET.slice(0, 9)}\n> ${SECRET.slice(9)}`,
      `mailto:${encodeURIComponent(SECRET)}`,
      `reply+b12-${'0123456789'.repeat(2)}@forum.example`,
      `[Unsubscribe](${link})`,
    ])
      assert.ok(tellsSecret(`See ${text}.`, OURS), text)
    for (const text of ['reply@forum.example', 'reply+x@other.example', 'https://forum.example/unsubscribe'])
      assert.ok(!tellsSecret(text, OURS), text)
    // In a sentence it is no header: the text is whole, and refused.
    const own = `I wrote to ${SECRET} before.\n\nIs that right?`
    assert.equal(written(`${own}\n\n${QUOTED}`), own)
  })

  test('is read in time, whatever it is made of', () => {
    for (const line of [
      '```',
      '> ',
      '````x',
      'From: a\n',
      '\n',
      `${GMAIL}\n> x`,
      '-- ',
      'Re: Verbs',
      MARK,
      `${SECRET} `,
    ])
      split(`${line}\n`.repeat(200_000 / (line.length + 1)))
    split(
      '`'
        .repeat(3)
        .concat('\n')
        .repeat(10)
        .concat(Array.from({ length: 400 }, (_, at) => '~'.repeat(500 - at)).join('\n')),
    )
  })
})

suite('the parts of an email', () => {
  const parts = (...all: string[]) => `${all.map((part) => `--b\n${part}\n`).join('')}--b--\n`
  const plain = (text: string) => `Content-Type: text/plain; charset=utf-8\n\n${text}`

  test('are read as text, and as HTML where the text is blank', async () => {
    const html = 'Content-Type: text/html; charset=utf-8\n\n<div>Use a cursor.</div>'
    for (const [blank, text] of [
      ['\n\n', 'Use a cursor.'],
      [' ​ ', 'Use a cursor.'],
      ['In words.', 'In words.'],
    ] as const) {
      const mail = await splitSource(parts(plain(blank), html), 'multipart/alternative; boundary=b')
      assert.deepEqual([mail.text, mail.attachments], [text, []])
    }
  })

  test('that are left out are named, but for signatures and what Outlook wraps formats in', async () => {
    const mail = await splitSource(
      parts(
        plain('Signed.'),
        'Content-Type: application/pkcs7-signature; name="smime.p7s"\nContent-Disposition: attachment; filename="smime.p7s"\n\nx',
        'Content-Type: application/pgp-signature; name="signature.asc"\n\nx',
        'Content-Type: application/ms-tnef; name="winmail.dat"\nContent-Disposition: attachment\n\nx',
        'Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="winmail.dat"\n\nx',
        'Content-Type: image/png; name="a.png"\nContent-Disposition: inline; filename="a.png"\nContent-ID: <a>\n\nx',
        'Content-Type: text/calendar\n\nBEGIN:VCALENDAR',
        `Content-Type: message/rfc822\n\nFrom: x@example.com\nSubject: old\n\n${MARK}`,
      ),
      'multipart/mixed; boundary=b',
    )
    assert.equal(mail.text, 'Signed.')
    assert.deepEqual(mail.attachments, ['a.png', 'text/calendar', 'message/rfc822'])
  })

  test('that are signed in their text are what is signed, and what is encrypted has no text', async () => {
    const signed = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThanks.\n\n- ---\n\nMore.\n\n${QUOTED}\n-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n`
    assert.equal((await splitSource(signed)).text, 'Thanks.\n\n---\n\nMore.')
    assert.equal((await splitSource('-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----')).text, '')
    const about = 'It begins so:\n\n-----BEGIN PGP MESSAGE-----'
    assert.equal((await splitSource(about)).text, about)
  })

  test('in flowed lines are the lines that were written, apart from what they quote', async () => {
    const flowed =
      'Thanks. \n\nA long line that is \nbroken here.\n\n> own quote that \n> goes on\n\n >>> import json\n\nMine. \n> x\n\n-- \nBert \nUni'
    for (const [type, text] of [
      ['text/plain; format=flowed', flowed],
      [
        'text/plain;\n charset=utf-8;\n format="flowed"; delsp=yes',
        flowed.replaceAll(/(\S) (?=\n[^\n])/g, '$1  ').replace('--  ', '-- '),
      ],
    ] as const) {
      const mail = await splitSource(text, type)
      assert.equal(
        mail.text.replace(/ +$/gm, ''),
        'Thanks.\n\nA long line that is broken here.\n\n> own quote that goes on\n\n>>> import json\n\nMine.\n> x',
      )
      assert.equal(mail.leftOut.replace(/ +/g, ' '), 'Bert Uni')
    }
    const about = 'It says\nContent-Type: text/plain; format=flowed\nand ends \nso.'
    assert.equal((await splitSource(about)).text, about)
  })
})
