export interface Line {
  readonly text: string
  /** Inside a fence, which its author wrote: nothing there is looked into. */
  readonly isCode: boolean
}

/** Lines of a signature; more are a text with a "-- " in it. */
const MOST_LINES = 15
const MOST_WORDS = 15
const MOST_APPS = 3
const SEPARATOR = '-- '

/** Devices and programs that sign emails. */
const PROGRAM =
  /iphone|ipad|ipod|galaxy|samsung|android|huawei|xiaomi|redmi|oneplus|oppo|vivo|pixel|nokia|motorola|blackberry|outlook|windows|yahoo|proton|gmail|mailbird|bluemail|spark|thunderbird|k-9|fairemail|hotmail|aol|gmx|naver|네이버|다음|foxmail|qq|mail\.ru|яндекс|mobile|phone|telefon|handy|smartphone|tablet|휴대폰|휴대전화|手机|手機|スマートフォン|携帯/iu
const BEGINS =
  /^(?:sent (?:from|with|via|using)|von mein|gesendet (?:von|mit|über)|diese nachricht wurde von|envoyé (?:de|depuis|à partir|avec)|enviado (?:desde|d[aeo]|a partir|con|com)|inviato (?:d|con)|verzonden (?:van|met)|verstuurd van|skicka(?:t|des) från|sendt fra|lähetetty|wysłan[aeoy] |odesláno |odoslané |poslano |trimis d|отправлено |надіслано |изпратено |στάλθηκε |dikirim dari|được gửi từ|gửi từ|发自|發自|從我的|从我的|נשלח מ|أُ?رسلت? من|تم الإرسال من|ส่งจาก)/iu
const ENDS =
  /(?:gesendet|에서 보냄|에서 보냈습니다|에서 전송|から送信|gönderildi|küldve|傳送|传送|发送|發送)[.。]?$/iu
/** Outlook's line, in any language, leads to its download. */
const DOWNLOAD = /^(?=.*outlook).{0,60}https:\/\/aka\.ms\/\w+|^get outlook for \w+$/iu

/** Where a signature at the end of a text begins, and its lines without "-- " (RFC 3676, 4.3) and without what apps add. */
export function signatureOf(lines: readonly Line[]): { end: number; lines: string[] } {
  const all = withoutAppLines(lines)
  const at = all.findLastIndex(({ text, isCode }) => !isCode && text === SEPARATOR)
  if (at < 0) return { end: all.length, lines: [] }
  const signed = all.slice(at + 1)
  if (signed.filter(({ text }) => text.trim() !== '').length > MOST_LINES)
    return { end: all.length, lines: [] }
  const { length: end } = withoutAppLines(all.slice(0, at))
  return { end, lines: signed.map(({ text }) => text) }
}

/** Without what phones and apps add at the very end: at most MOST_APPS of them. */
export function withoutAppLines(lines: readonly Line[]): readonly Line[] {
  let end = lines.length
  for (let apps = 0; apps < MOST_APPS; apps += 1) {
    const last = lines.slice(0, end).findLastIndex(({ text }) => text.trim() !== '')
    const before = (lines[last - 1]?.text ?? '').trim()
    const isAlone = before === '' || before === '--'
    if (lines[last]?.isCode !== false || !isAlone || !isAppLine(lines[last].text)) break
    // The sign above it makes a heading of what stands above that.
    end = before === '--' ? last - 1 : last
  }
  return end === lines.length ? lines : lines.slice(0, end)
}

function isAppLine(line: string): boolean {
  // The address of a link, as Markdown and as text.
  const text = line.replace(/\]\([^)]*\)|<?https?:\/\/(?!aka\.ms)\S*|[\][*_\\]/g, '').trim()
  if (DOWNLOAD.test(line.trim()) || DOWNLOAD.test(text)) return true
  const isShort = text.split(/\s+/).length <= MOST_WORDS
  return isShort && PROGRAM.test(text) && (BEGINS.test(text) || ENDS.test(text))
}
