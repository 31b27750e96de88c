import { z } from 'zod'
import { line } from '../../kernel/fields.ts'
import { form } from '../../web/form.ts'

/** Far more than any authenticator's answer. */
const LARGEST = 16_000

const encoded = z
  .string()
  .max(LARGEST)
  .regex(/^[\w-]+$/)
/** At most 1023 bytes (WebAuthn Level 3, 4, "Credential ID"). */
const credentialId = encoded.max(1364)

const assertion = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON: encoded,
    authenticatorData: encoded,
    signature: encoded,
    userHandle: encoded.optional(),
  }),
})

const attestation = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON: encoded,
    attestationObject: encoded,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
})

/** What an authenticator signed to sign somebody in. `userHandle` says whom it means; it must where we named no credential. */
export type Assertion = z.infer<typeof assertion>
/** What an authenticator made. */
export type Attestation = z.infer<typeof attestation>

export const passkeyName = line({
  min: 1,
  max: 50,
  short: 'passkeys.name.short',
  long: 'passkeys.name.long',
}).meta({ autocomplete: 'off' })

/** `_passkey` is filled in by public/js/passkeys.js: the credential as JSON. */
export const signInForm = form({ _passkey: json(assertion), next: z.string() })
export const secondStepForm = form({ _passkey: json(assertion) })
export const addForm = form({ _passkey: json(attestation), name: passkeyName })
export const renameForm = form({ name: passkeyName })

function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((text, context): z.output<Schema> => {
    const parsed = schema.safeParse(parse(text))
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: 'passkeys.refused' })
    return z.NEVER
  })
}

/** @returns undefined for what is no JSON */
function parse(text: string): unknown {
  try {
    return text.length > 2 * LARGEST ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
