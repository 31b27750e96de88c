import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** What an authenticator does otherwise than it should. */
export interface Mischief {
  /** Where the browser says the page was. */
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly type?: string
  readonly isVerified?: boolean
  readonly isPresent?: boolean
  readonly isBackupEligible?: boolean
  readonly counter?: number
  /** Whom it means, base64url; null: it says nothing. */
  readonly userHandle?: string | null
  /** Changes the signature. */
  readonly isTampered?: boolean
  /** Certificates of its maker, which nobody asked for. */
  readonly hasCertificates?: boolean
}

/** What the pages hand to a browser, as far as an authenticator needs it. */
export interface Options {
  readonly challenge: string
  readonly user?: { readonly id: string }
}

type Cbor = Parameters<typeof isoCBOR.encode>[0]

const RP_ID = 'localhost'
const ORIGIN = 'http://localhost:3000'

/** An authenticator with one ES256 key (P-256), as a security key or a phone has it: it counts its signatures. */
export class Authenticator {
  readonly id = randomBytes(32)
  counter = 0
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  private handle = ''

  /** navigator.credentials.create(), its answer as JSON. */
  make(options: Options, mischief: Mischief = {}): string {
    this.handle = options.user?.id ?? ''
    const authData = this.authData(mischief, this.attestedKey())
    const attested = new Map<string, Cbor>([
      ['fmt', mischief.hasCertificates === true ? 'packed' : 'none'],
      ['attStmt', mischief.hasCertificates === true ? certificates() : new Map<string, Cbor>()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.answer({
      clientDataJSON: clientData('webauthn.create', options, mischief),
      attestationObject: encoded(isoCBOR.encode(attested)),
      transports: ['internal', 'hybrid', 'telepathy'],
    })
  }

  /** navigator.credentials.get(), its answer as JSON. */
  sign(options: Options, mischief: Mischief = {}): string {
    this.counter = mischief.counter ?? this.counter + 1
    const clientDataJSON = clientData('webauthn.get', options, mischief)
    const authData = this.authData(mischief)
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const signature = sign('sha256', signed, this.keys.privateKey)
    if (mischief.isTampered === true) signature.writeUInt8(signature.readUInt8(20) ^ 1, 20)
    const { userHandle = this.handle } = mischief
    return this.answer({
      clientDataJSON,
      authenticatorData: encoded(authData),
      signature: encoded(signature),
      ...(userHandle !== null && { userHandle }),
    })
  }

  private answer(response: object): string {
    const id = encoded(this.id)
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} })
  }

  /** WebAuthn Level 3, 6.1: hash of the host, flags, counter, and a new key. */
  private authData(mischief: Mischief, attestedKey?: Buffer): Buffer {
    const { isPresent = true, isVerified = true, isBackupEligible = true } = mischief
    const bits = [
      isPresent,
      false,
      isVerified,
      isBackupEligible,
      isBackupEligible,
      false,
      attestedKey !== undefined,
    ]
    const flags = bits.reduce((sum, isSet, bit) => sum | (isSet ? 1 << bit : 0), 0)
    const counted = Buffer.alloc(5)
    counted.writeUInt8(flags)
    counted.writeUInt32BE(this.counter, 1)
    return Buffer.concat([sha256(mischief.rpId ?? RP_ID), counted, attestedKey ?? Buffer.alloc(0)])
  }

  /** 6.5.1: maker (nobody), credential id, and the public key in COSE form. */
  private attestedKey(): Buffer {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    return Buffer.concat([Buffer.alloc(16), length, this.id, coseKey(this.keys.publicKey)])
  }
}

/** RFC 9053, 7.1.1: an EC2 key on P-256 for ES256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const cose = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ])
  return Buffer.from(isoCBOR.encode(cose))
}

function certificates(): Map<string, Cbor> {
  return new Map<string, Cbor>([
    ['alg', -7],
    ['sig', new Uint8Array(70)],
    ['x5c', [new Uint8Array(300)]],
  ])
}

function clientData(type: string, { challenge }: Options, mischief: Mischief): string {
  const { origin = ORIGIN } = mischief
  const data = {
    type: mischief.type ?? type,
    challenge: mischief.challenge ?? challenge,
    origin,
    crossOrigin: false,
  }
  return encoded(Buffer.from(JSON.stringify(data)))
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest()
const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
