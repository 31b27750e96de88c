import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import webPush from 'web-push'
import type { Push, PushKeys } from './push-service.ts'
import type { Subscription } from './subscriptions.ts'

/** Of a forum without a folder. */
export const KEYS: PushKeys = webPush.generateVAPIDKeys()

/** A browser that takes pushes: it alone can read them (RFC 8291, 8188). */
export function aPushBrowser(name = randomBytes(6).toString('hex')) {
  const keys = createECDH('prime256v1')
  const own = keys.generateKeys()
  const auth = randomBytes(16)
  const subscription: Subscription = {
    endpoint: `https://push.example/to/${name}`,
    p256dh: own.toString('base64url'),
    auth: auth.toString('base64url'),
  }
  const read = ({ body }: Push): unknown => {
    const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, theirs])
    const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(theirs), auth, info, 32))
    const derived = (use: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${use}\0`, length))
    const opener = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12))
    opener.setAuthTag(sealed.subarray(-16))
    const text = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()]).toString()
    return JSON.parse(text.slice(0, text.lastIndexOf('\u0002')))
  }
  return { subscription, read }
}

/** Who a push says it is from, where its signature is right (RFC 8292). */
export function senderOf({ headers }: Push): Readonly<Record<'aud' | 'sub' | 'key', string>> {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers.Authorization ?? '') ?? []
  const point = Buffer.from(key, 'base64url')
  const half = (start: number) => point.subarray(start, start + 32).toString('base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: half(1), y: half(33) }
  const by = { key: createPublicKey({ format: 'jwk', key: jwk }), dsaEncoding: 'ieee-p1363' } as const
  const signed = Buffer.from(`${head}.${claims}`)
  if (!verify('sha256', signed, by, Buffer.from(signature, 'base64url')))
    throw new Error('the signature is wrong')
  return { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}
