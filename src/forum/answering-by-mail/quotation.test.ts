import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aboveQuotation, aboveQuotes } from './quotation.ts'
import { readMail } from './read-mail.ts'

const TEXT = ['Thank you.', '', 'It works: see the date.'].join('\n')
const SIGN = 'Bert Learner'
const F = 'Handup <reply@forum.example>'

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

suite('what a mail program quotes', () => {
  for (const [program, header] of Object.entries(HEADERS))
    test(`is not what was written: ${program}`, async () => {
      for (const end of ['', `\n${header}`])
        assert.equal(aboveQuotation(`${TEXT}\n\n${header}${end}`).trim(), TEXT)
      const quoted = header.split('\n').map((line) => `> ${line}`)
      assert.equal(aboveQuotes([TEXT, '', ...quoted].join('\n')), TEXT)
      const mail = [
        'From: Bert <bert@example.com>',
        'Content-Type: text/plain; charset=utf-8',
        '',
        `${TEXT}\n\n${header}`,
      ]
      const { text, fromName } = await readMail(Buffer.from(mail.join('\r\n')))
      assert.deepEqual([text.replaceAll('\r', ''), fromName], [TEXT, 'Bert'])
    })

  test('is also cut off of a mail that has HTML alone', async () => {
    const html = `<div>${TEXT}</div><hr><div id="divRplyFwdMsg"><b>보낸 사람:</b> ${SIGN}<br><b>보낸 날짜:</b> 2026년<br><b>받는 사람:</b> a<br><b>제목:</b> x</div>`
    const { text } = await readMail(
      Buffer.from(`From: a@example.com\nContent-Type: text/html; charset=utf-8\n\n${html}`),
    )
    assert.doesNotMatch(text, /Bert/)
    assert.match(text, /Thank you/)
  })

  test('is not taken for it where people write of mails, times and senders', () => {
    for (const own of [
      'From: the header says who.\nI read it, and it is empty.',
      'My server wrote:\nno such file',
      'At 10:00 it said:\nnothing',
      'Date: today\nSubject: verbs\nFrom: nobody',
      '보낸 사람: 누구인지 모르겠습니다.\n답을 알려 주세요.',
    ])
      assert.equal(aboveQuotation(own), own)
  })

  test('stands between answers, of which only the first is above it', () => {
    assert.equal(aboveQuotes('One.\n> two\nThree, Bert'), 'One.')
  })
})
