/**
 * Whether the server said that trying again would be of no use: 5xx about the recipient or the message (RFC 5321, 4.2.1). What
 * it says of us, who may not send or not so much (RFC 3463: 5.7, 5.4.5), an operator can put right within days.
 */
export function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false
  if (/\b5\.(?:7\.\d+|4\.5)\b/.test(error.message) || Number(error.responseCode) === 530) return false
  const isAboutRecipient = error.code === 'EENVELOPE' && 'command' in error && error.command === 'RCPT TO'
  const isAboutThisMail = isAboutRecipient || error.code === 'EMESSAGE'
  return isAboutThisMail && Number(error.responseCode) >= 500
}
