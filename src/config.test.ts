import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'

const SECRET = 'x'.repeat(32)

/** Every variable, each with another value than it has by default. */
const ENVIRONMENT = {
  ...{
    HOST: '0.0.0.0',
    PORT: '8080',
    BASE_URL: 'https://forum.example/',
    DATABASE_URL: 'postgres://u:p@db/handup',
  },
  ...{
    DATA_DIR: '/srv/handup',
    IMPORT_MAX_MB: '50',
    S3_URL: 'https://KEY:secret@s3.example.org/pictures',
    SECRET,
    SMTP_URL: 'smtps://mail.example',
    STRANGERS: 'careful',
    MAIL_FROM: 'forum@mail.example',
    SAMPLE: 'off',
    LOG_LEVEL: 'silent',
  },
  ...{
    TRUST_PROXY: '10.0.0.0/8, ::1,loopback',
    NODE_ENV: 'production',
    TIME_ZONE: 'Asia/Seoul',
    WORKERS: '3',
    MCP_ORIGINS: 'https://assistant.example/, http://localhost:4000',
    PAGE_CACHE: 'off',
    METRICS_PORT: '9464',
    METRICS_HOST: '::1',
    MAIL_SOON_SECONDS: '60',
    MAIL_RATE: '30',
    MAIL_CONNECTIONS: '12',
    REPLY_ADDRESS: 'reply@mail.example',
    INBOUND_PORT: '2525',
    EMBEDDINGS_URL: 'https://KEY@embeddings.example/v1/embeddings?model=small',
    SPAM_URL: 'https://KEY@spam.example/check',
    DRAIN_SECONDS: '5',
    HSTS: 'off',
    BACKUP_EVERY: '6h',
    BACKUP_DIR: '/srv/backups',
    BACKUP_KEEP: '30',
    OIDC_ISSUER: 'https://sso.school.example/realms/main',
    OIDC_CLIENT_ID: 'forum',
    OIDC_CLIENT_SECRET: 'of the client',
    OIDC_LABEL: 'Hanbit University',
    PRIVATE_HOSTS: 'SSO.school.internal, other.internal',
    WEBHOOK_HOSTS: 'Chat.school.internal, 127.0.0.1:9000,[::1]:9000',
    OTHER: 'x',
  },
}

suite('the environment', () => {
  test('needs nothing: everything has a default', () => {
    const { timeZone, ...config } = readConfig({})
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://127.0.0.1:3000',
      databaseUrl: null,
      backups: null,
      dataDir: resolve('.data'),
      importMaxBytes: 200 * 1024 * 1024,
      s3Url: null,
      oidc: null,
      privateHosts: [],
      webhookHosts: [],
      secret: null,
      smtpUrl: null,
      careful: null,
      mailFrom: 'handup@127.0.0.1',
      sample: 'en',
      logLevel: 'info',
      trustProxy: [],
      drainSeconds: 0,
      mailSoonSeconds: 300,
      mailRate: null,
      mailConnections: 5,
      replyAddress: null,
      inboundPort: null,
      embeddingsUrl: null,
      spamUrl: null,
      hsts: 'max-age=63072000',
      workers: 1,
      mcpOrigins: [],
      pageCache: true,
      metrics: null,
      isProduction: false,
    })
    assert.ok(timeZone.length > 0)
  })

  test('an empty variable is as if it were not set', () => {
    const empty = Object.fromEntries(Object.keys(ENVIRONMENT).map((name) => [name, '']))
    assert.deepEqual(readConfig(empty), readConfig({}))
  })

  test('every variable is read', () => {
    const config = readConfig(ENVIRONMENT)
    assert.deepEqual(config, {
      ...{
        host: '0.0.0.0',
        workers: 3,
        mcpOrigins: ['https://assistant.example', 'http://localhost:4000'],
        pageCache: false,
        metrics: { host: '::1', port: 9464 },
        port: 8080,
        baseUrl: 'https://forum.example',
        databaseUrl: 'postgres://u:p@db/handup',
      },
      ...{
        dataDir: '/srv/handup',
        importMaxBytes: 50 * 1024 * 1024,
        s3Url: 'https://KEY:secret@s3.example.org/pictures',
        secret: SECRET,
        smtpUrl: 'smtps://mail.example',
        careful: { sendsMail: true },
        mailFrom: 'forum@mail.example',
        sample: null,
        logLevel: 'silent',
      },
      ...{
        mailSoonSeconds: 60,
        mailRate: 30,
        mailConnections: 12,
        oidc: {
          issuer: 'https://sso.school.example/realms/main',
          clientId: 'forum',
          clientSecret: 'of the client',
          label: 'Hanbit University',
        },
        privateHosts: ['sso.school.internal', 'other.internal'],
        webhookHosts: ['chat.school.internal', '127.0.0.1:9000', '[::1]:9000'],
        replyAddress: 'reply@mail.example',
        inboundPort: 2525,
        embeddingsUrl: 'https://KEY@embeddings.example/v1/embeddings?model=small',
        spamUrl: 'https://KEY@spam.example/check',
      },
      ...{ drainSeconds: 5, hsts: null },
      backups: { folder: '/srv/backups', everyMs: 6 * 60 * 60_000, keep: 30 },
      ...{ trustProxy: ['10.0.0.0/8', '::1', 'loopback'], isProduction: true, timeZone: 'Asia/Seoul' },
    })
  })

  test('the address printed can be opened on this machine', () => {
    for (const [host, name] of [
      ['0.0.0.0', 'localhost'],
      ['::', 'localhost'],
      ['::1', '[::1]'],
      ['forum.lan', 'forum.lan'],
    ]) {
      assert.equal(readConfig({ HOST: host, PORT: '81' }).baseUrl, `http://${name}:81`)
    }
  })

  const bad: [string, string[]][] = [
    ['MAIL_SOON_SECONDS', ['-1', 'soon', '100000']],
    ['MAIL_RATE', ['0', '-5', 'x']],
    ['MAIL_CONNECTIONS', ['0', '100', 'x']],
    [
      'EMBEDDINGS_URL',
      ['x', 'ftp://x/v1?model=a', 'https://x/?model=a', 'https://x/v1', 'https://x/v1?model=a&b=c'],
    ],
    ['REPLY_ADDRESS', ['reply', 'reply+x@example.org', 'a b@example.org']],
    ['INBOUND_PORT', ['x', '65536', '2525']],
    ['METRICS_PORT', ['x', '65536']],
    ['PORT', ['x', '-1', '65536', '80.5', ' 80', '1e3', '999999']],
    ['HOST', ['two words', 'http://x']],
    [
      'BASE_URL',
      [
        'forum.example',
        'ftp://forum.example',
        '//x',
        'https://forum.example/path',
        'https://x/?q',
        'https://u@x',
        'x',
      ],
    ],
    [
      'DATABASE_URL',
      [
        'mysql://x',
        'localhost',
        'http://x',
        'postgres://h:1:2/x',
        'postgres://h,/x',
        'postgres://h/x?target_session_attrs=standby',
      ],
    ],
    ['SECRET', ['short']],
    ['SMTP_URL', ['mail.example', 'http://mail.example', 'smtp://', 'smtp:mail.example:x']],
    ['MAIL_FROM', ['forum', 'Forum <forum@mail.example>', 'a@b@c', 'a@b,c@d', 'a@b\r\nBcc: c@d']],
    ['SAMPLE', ['yes', 'OFF']],
    ['MCP_ORIGINS', ['assistant.example', 'https://assistant.example/mcp', '*']],
    ['PAGE_CACHE', ['yes']],
    ['DRAIN_SECONDS', ['-1', '1.5', '5s', '10000']],
    ['BACKUP_EVERY', ['6', '6 h', '0h', '-1h', '1.5h', '14m', '32d', '99999d', 'daily', '6H']],
    ['BACKUP_KEEP', ['0', '-1', '1000', 'all']],
    ['HSTS', ['on', '0', 'max-age=', 'max-age=1, preload', 'max-age=1\r\nx: y']],
    ['WORKERS', ['0', '100', 'all', '-1', '2.5']],
    ['LOG_LEVEL', ['loud']],
    ['TRUST_PROXY', ['everybody', '10.0.0.0/33', '10.0.0.0/x', '10.0.0', '::1/129', '10.0.0.0/8/8']],
    ['TIME_ZONE', ['Mars/Base', '+09:00', 'nowhere']],
  ]
  for (const [name, values] of bad) {
    test(`a bad ${name} stops the start with one line that names it`, () => {
      for (const value of values) {
        assert.throws(
          () => readConfig({ [name]: value }),
          (error) =>
            error instanceof ConfigError && new RegExp(`^${name} must be .*[^\\n]$`).test(error.message),
          value,
        )
      }
    })
  }

  test('BACKUP_EVERY and BACKUP_DIR go together, and no backup holds those before', () => {
    assert.equal(readConfig({}).backups, null)
    assert.throws(
      () => readConfig({ BACKUP_EVERY: '1d' }),
      /BACKUP_DIR must be set together with BACKUP_EVERY/,
    )
    assert.throws(() => readConfig({ BACKUP_DIR: '/b' }), /BACKUP_EVERY must be set together with BACKUP_DIR/)
    for (const BACKUP_DIR of ['/d/uploads', '/d/uploads/b', '/d/postgres/b', '/d/x/../uploads'])
      assert.throws(
        () => readConfig({ DATA_DIR: '/d', BACKUP_EVERY: '15m', BACKUP_DIR }),
        /^ConfigError: BACKUP_DIR must not be|^Error: BACKUP_DIR must not be/,
      )
    for (const BACKUP_DIR of ['/d/backups', '/b', '/d/uploads-kept'])
      assert.deepEqual(readConfig({ DATA_DIR: '/d', BACKUP_EVERY: '31d', BACKUP_DIR }).backups, {
        folder: BACKUP_DIR,
        everyMs: 31 * 24 * 60 * 60_000,
        keep: 14,
      })
  })

  test('in production an external database needs a secret of the operator’s, the embedded one does not', () => {
    const external = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/handup' }
    assert.throws(() => readConfig(external), /^ConfigError: SECRET must be set|^Error: SECRET must be set/)
    assert.equal(readConfig({ ...external, SECRET }).secret, SECRET)
    assert.equal(readConfig({ NODE_ENV: 'production' }).secret, null)
  })

  test('a value is never repeated in the message: it may be a secret', () => {
    for (const name of ['DATABASE_URL', 'SECRET', 'SMTP_URL']) {
      assert.throws(
        () => readConfig({ [name]: 'hunter2' }),
        (error: Error) => !error.message.includes('hunter2'),
      )
    }
  })
})
