/**
 * Whether the server rejected the mail permanently: 5xx about the recipient or the message (RFC 5321, 4.2.1).
 * Rejections of the sender, unauthorized or over quota (RFC 3463: 5.7, 5.4.5), are temporary, as an operator can fix
 * them within days.
 */
export function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false
  if (/\b5\.(?:7\.\d+|4\.5)\b/.test(error.message) || Number(error.responseCode) === 530) return false
  const isAboutRecipient = error.code === 'EENVELOPE' && 'command' in error && error.command === 'RCPT TO'
  const isAboutThisMail = isAboutRecipient || error.code === 'EMESSAGE'
  return isAboutThisMail && Number(error.responseCode) >= 500
}

/** Whether the server refused who sends the mail, as some do where it is none of their own addresses; some say so at the recipient. */
export function isRefusalOfSender(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error) || !('command' in error))
    return false
  if (error.code !== 'EENVELOPE' || Number(error.responseCode) < 500) return false
  return error.command === 'MAIL FROM' || /\b5\.7\.\d+|sender/i.test(error.message)
}
