import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bucketStore } from '../../forum/pictures/picture-store.ts'
import { uploaded } from '../../forum/pictures/pictures-testing.ts'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { anS3Server } from '../../testing/s3-server.ts'
import { aBackup, aTemporaryFolder, restoreInto } from './testing.ts'

/** A forum with a picture in a bucket, and its backup. */
async function aBackupOfABucket(t: Ending) {
  const dataDir = await aTemporaryFolder(t)
  const from = await anS3Server(t)
  const { db, url } = await testDatabaseWithUrl(t)
  const author = await aPerson(db)
  const app = await testApp(t, db, { s3Url: from.url })
  const { url: address } = await uploaded(await signedIn(app, author))
  const bucket = bucketStore(from.url)
  const path = await aBackup({ db, url, dataDir, bucket }, join(dataDir, 'forum.backup'))
  return { dataDir, from, author, address, bucket, path }
}

test('pictures of a bucket are in a backup, and come back into a bucket or a folder', async (t) => {
  const { dataDir, from, author, address, path } = await aBackupOfABucket(t)
  const to = await anS3Server(t)

  const moved = await newDatabase(t)
  await restoreInto({ url: moved.url, dataDir, bucket: bucketStore(to.url) }, path)
  assert.deepEqual(await to.keys(), await from.keys())

  const folder = await aTemporaryFolder(t)
  const local = await newDatabase(t)
  await restoreInto({ url: local.url, dataDir: folder }, path)
  const localApp = await testApp(t, local.db, { dataDir: folder })
  const shown = await (await signedIn(localApp, author)).get(address)
  assert.equal(shown.statusCode, 200)
})

test('a restore that fails takes its pictures out of the bucket again', async (t) => {
  const { dataDir, path } = await aBackupOfABucket(t)
  const to = await anS3Server(t)
  const target = await newDatabase(t)
  const store = bucketStore(to.url)
  let puts = 0
  const failing = {
    ...store,
    put: async (file: string, content: Buffer) => {
      puts += 1
      if (puts === 2) throw new Error('no room')
      await store.put(file, content)
    },
  }
  await assert.rejects(restoreInto({ url: target.url, dataDir, bucket: failing }, path), /no room/)
  assert.deepEqual(await to.keys(), [])
})

test('a restore that fails leaves the pictures that were in the bucket before it', async (t) => {
  const { dataDir, from, bucket, path } = await aBackupOfABucket(t)
  const files = (await from.keys()).map((key) => key.split('/').at(-1) ?? '')
  for (const file of files) if (!file.endsWith('.webp')) await bucket.remove(file)
  const there = await from.keys()
  assert.equal(there.length, 1)
  const failing = {
    ...bucket,
    put: async (file: string, content: Buffer) => {
      if (!file.endsWith('.webp')) throw new Error('no room')
      await bucket.put(file, content)
    },
  }
  const target = await newDatabase(t)
  await assert.rejects(restoreInto({ url: target.url, dataDir, bucket: failing }, path), /no room/)
  assert.deepEqual(await from.keys(), there)
})
