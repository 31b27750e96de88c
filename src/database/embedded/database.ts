import type pg from 'pg'

/**
 * Creates the forum's role and database if they are missing. The role is no superuser, so an injected statement cannot
 * read files or run programs. It may create databases (for tests and restores).
 * @param client the superuser's session
 * @param password of the role; letters, digits, `-` and `_` only
 * @returns true when the database was created now
 */
export async function prepareDatabase(client: pg.Client, password: string): Promise<boolean> {
  const { rows } = await client.query<{ has_role: boolean; has_database: boolean }>(
    `select exists (select from pg_roles where rolname = 'handup') as has_role,
            exists (select from pg_database where datname = 'handup') as has_database`,
  )
  if (!rows[0]?.has_role) {
    await client.query(`set log_min_error_statement = 'panic'`) // the statement must not reach the log
    await client.query(`create role handup login createdb password '${password}'`)
    await client.query('reset log_min_error_statement')
  }
  if (rows[0]?.has_database) return false
  await client.query('create database handup owner handup')
  return true
}
