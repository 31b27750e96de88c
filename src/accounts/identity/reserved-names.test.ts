import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { valuesOf } from '../../testing/rows.ts'
import { displayName, isReservedName } from './fields.ts'

suite('display names', () => {
  test('that a reader would take for a stand-in, somebody who left or the staff are reserved, as are look-alikes', () => {
    for (const name of [
      ...['Anonymous', 'anonymous 1', 'ANONYMOUS 12', 'Anonymous #3', 'Anonymous1'],
      ...['An0nym0us 1', 'Αnоnymоus 2'],
      ...['Ａｎｏｎｙｍｏｕｓ １', 'A\u200Bnonymous 1', 'Anónymous', '𝐀𝐧𝐨𝐧𝐲𝐦𝐨𝐮𝐬 𝟏'],
      ...['익명 1', '익명1', '익 명 2', '탈퇴한 회원', '강사진', '운영진', '강사'],
      ...['Former member', 'Course staff', 'course-staff', 'Stаff', 'Admin'],
      ...['Instructor', 'lnstructor', '1nstructor'],
    ])
      assert.ok(isReservedName(name), name)
  })

  test('that are reserved are refused by the forms, with the reason', () => {
    const { success, error } = displayName().safeParse('Anonymous 1')
    assert.ok(!success)
    assert.deepEqual(valuesOf(error.issues, 'message'), ['accounts.name.reserved'])
  })

  test('of people are free, also where a reserved word is a part of them', () => {
    for (const name of [
      ...['Anna Staff', 'Mina Kim', 'Justus Anonymus', 'Instructor Kim', 'Staffan', 'Ann'],
      ...['강사라', '김익명', '조교수', '1', 'user123', '李明', 'Ольга', 'Νίκος'],
    ])
      assert.ok(!isReservedName(name), name)
  })
})
