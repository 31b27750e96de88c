/** The version an edit form began with, from its hidden field; null when it has none. What is no version matches none. */
export function versionOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('version' in body)) return null
  return typeof body.version === 'string' && /^[1-9]\d{0,8}$/.test(body.version) ? Number(body.version) : 0
}
