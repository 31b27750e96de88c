import type { Browser } from './browser.ts'

const BOUNDARY = 'a-boundary-of-tests'

export interface SentFile {
  readonly bytes: Buffer
  readonly filename: string
  readonly type: string
}

/** A form with a file, as a browser sends it. @param file null: none */
export function multipartForm(
  fields: Readonly<Record<string, string>>,
  file: SentFile | null,
): { raw: Buffer; contentType: string } {
  const parts: Buffer[] = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  )
  if (file !== null) {
    const { bytes, filename, type } = file
    const head = `content-disposition: form-data; name="file"; filename="${filename}"\r\ncontent-type: ${type}`
    parts.push(Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`), bytes, Buffer.from('\r\n'))
  }
  const raw = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
  return { raw, contentType: `multipart/form-data; boundary=${BOUNDARY}` }
}

/** Sends a form with a CSV file. */
export async function postTable(
  browser: Browser,
  path: string,
  bytes: Buffer,
  fields: Readonly<Record<string, string>> = {},
) {
  const sent = { ...fields, _csrf: await browser.token() }
  const file = { bytes, filename: 'table.csv', type: 'text/csv' }
  return browser.post(path, {}, { ...multipartForm(sent, file), token: null })
}
