import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

interface SecondFactors {
  person_id: number
  secret: Buffer
  made_at: DefaultTime
  confirmed_at: OptionalTime
  last_step: Generated<number>
}

interface RecoveryCodes {
  person_id: number
  code_hash: Buffer
  used_at: OptionalTime
}

export type HalfWay = 'password' | 'link' | 'provider' | 'fresh-provider'

interface HalfSignIns {
  token_hash: Buffer
  person_id: number
  way: HalfWay
  path: string
  /** The provider of the first step. */
  linked_account_id: Generated<number | null>
  provider_sid: Generated<string | null>
  tries: Generated<number>
  begun_at: DefaultTime
}

interface PasskeyHolders {
  person_id: number
  handle: Buffer
}

interface Passkeys {
  id: GeneratedAlways<number>
  person_id: number
  name: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  is_backup_eligible: boolean
  is_backed_up: boolean
  added_at: DefaultTime
  last_used_at: OptionalTime
}

interface AnsweredChallenges {
  token_hash: Buffer
  answered_at: DefaultTime
}

/** Authenticator apps, recovery codes and passkeys. */
export interface SecondFactorsTables {
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  half_sign_ins: HalfSignIns
  passkey_holders: PasskeyHolders
  passkeys: Passkeys
  answered_challenges: AnsweredChallenges
}
