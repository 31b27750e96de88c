/** Loaded when first needed: it takes a tenth of a second and 27 MB, which a forum without passkeys can save. */
export const webauthn = () => import('@simplewebauthn/server')

/** The same for its inner parts. */
export const webauthnHelpers = () => import('@simplewebauthn/server/helpers')

/** How a check ended. `reason` is for the log. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string }

/** Whatever the library throws about what a client sent is a refusal. */
export async function checked<Value>(check: () => Promise<Value>): Promise<Checked<Value>> {
  try {
    return { ok: true, value: await check() }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown' }
  }
}
