/**
 * The version an edit form began with, from its hidden field.
 * @returns null when it does not say; 0, which no post has, when what it says is no version
 */
export function versionOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('version' in body) || body.version === '') return null
  return typeof body.version === 'string' && /^[1-9]\d{0,8}$/.test(body.version) ? Number(body.version) : 0
}
