/**
 * Where the mail that somebody answers begins in their answer, by what mail programs write above it: Outlook, Gmail, Apple Mail,
 * Naver, Daum and Thunderbird in English, Korean, German, Japanese and Chinese. That text has names and addresses in it, also the
 * author's own. quotation.test.ts has an example of each.
 */

/** Lines that a program breaks its sentence into, and characters of one that are looked at. */
const MOST_LINES = 4
const MOST_CHARACTERS = 300

/** "On Mon, 23 Nov 2026 at 10:00, Handup <reply@forum.example> wrote:" has a time, this, and a colon at its end. */
const WROTE =
  /wrote|schrieb|geschrieben|작성|쓴 글|썼|보낸 메일|書きました|のメール|のメッセージ|写道|寫道|写到|寫到/i
const TIME = /\d{1,2}\s?[:.시時时h]\s?\d{2}/
const COLON = /[:：]$/
/** Gmail in Japanese says no more than this. */
const DATE_AND_ADDRESS = /^\d{2,4}\s?[年년./-].{1,200}<[^<>@\s]{1,100}@[^<>\s]{1,200}>.{0,20}[:：]$/u

/** Lines as Outlook, Naver, Daum and QQ write them: who, when, to whom, about what. */
const WHO = /^(?:from|von|보낸\s?사람|보낸이|差出人|发件人|發件人|寄件者|寄件人)\s?[:：]/iu
const OTHER =
  /^(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|보낸\s?날짜|보낸\s?시간|날짜|받는\s?사람|받는이|참조|제목|送信日時|日付|宛先|件名|发送时间|發送時間|日期|收件人|抄送|主题|主題|寄件日期|收件者|副本|主旨)\s?[:：]/iu
const LINES_OF_HEADER = 6
const FEWEST_OTHERS = 2

/** "-----Original Message-----", and the line above Outlook's. */
const RULE =
  /^[-_=\s]{2,}\s?(?:original message|original mail|ursprüngliche nachricht|원본 (?:메시지|메일|이메일)|元のメッセージ|原始邮件|原始郵件|邮件原件|forwarded message|전달된 메(?:시지|일)|weitergeleitete nachricht|転送されたメッセージ|转发的邮件)\s?[-_=\s]*$|^_{10,}$/iu

/** The text above the mail that it answers; all of it where it answers none. */
export function aboveQuotation(text: string): string {
  const lines = text.split('\n')
  const plain = lines.map(plainLine)
  const at = plain.findIndex((_line, index) => beginsQuotation(plain, index))
  return at < 0 ? text : lines.slice(0, at).join('\n')
}

/** The text above everything that is quoted: nothing that stands between quoted lines or below them. */
export function aboveQuotes(text: string): string {
  const lines = aboveQuotation(text).split('\n')
  const at = lines.findIndex((line) => /^\s{0,3}>/.test(line))
  return (at < 0 ? lines : lines.slice(0, at)).join('\n').trim()
}

/** Without the signs of quoting, of Markdown and of bold type. */
function plainLine(line: string): string {
  return line
    .slice(0, MOST_CHARACTERS)
    .replace(/[*\\"]/g, '')
    .replace(/^[>\s]+/, '')
    .trimEnd()
}

function beginsQuotation(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (line === '') return false
  return RULE.test(line) || isHeader(lines, at) || isSentence(lines, at)
}

function isHeader(lines: readonly string[], at: number): boolean {
  if (!WHO.test(lines[at] ?? '')) return false
  const others = lines.slice(at + 1, at + LINES_OF_HEADER).filter((line) => OTHER.test(line))
  return others.length >= FEWEST_OTHERS
}

/** Broken into some lines, none of them empty. */
function isSentence(lines: readonly string[], at: number): boolean {
  let sentence = ''
  for (const line of lines.slice(at, at + MOST_LINES)) {
    if (line === '') return false
    sentence = sentence === '' ? line : `${sentence} ${line}`
    if (!COLON.test(line)) continue
    return (TIME.test(sentence) && WROTE.test(sentence)) || DATE_AND_ADDRESS.test(sentence)
  }
  return false
}
