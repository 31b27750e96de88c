import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { textOf } from '../testing/page.ts'

/** Paths under /assets/ that a page names, each once. */
export const assetsIn = (html: string) => [...new Set(html.match(/(?<=(?:href|src)=")\/assets\/[^"#]+/g))]

/** Headers of a stylesheet, a module or a picture, which is no document. */
export function assertFileHeaders({ headers }: LightMyRequestResponse, name = ''): void {
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  assert.equal(headers['content-security-policy'], policy, name)
  assert.equal(headers['x-content-type-options'], 'nosniff', name)
  assert.equal(headers['referrer-policy'], 'same-origin', name)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', name)
}

/** Headers of every answer but files. */
export function assertSecurityHeaders(answer: LightMyRequestResponse, name = ''): void {
  const { headers } = answer
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none';/, name)
  assert.doesNotMatch(policy, /unsafe|\*|http:|data:/, name)
  const parts = ["base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'", "form-action 'self'"]
  for (const part of parts) assert.ok(policy.includes(part), `${name}: ${part}`)
  assert.equal(headers['x-content-type-options'], 'nosniff', name)
  assert.equal(headers['referrer-policy'], 'same-origin', name)
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin', name)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', name)
  assert.ok(String(headers['permissions-policy']).includes('camera=()'), name)
}

/** An error's page: the forum's layout, one heading, what to do next, the request's id; nobody else's to keep. */
export function assertErrorPage(answer: LightMyRequestResponse, status: number, name = ''): void {
  assert.equal(answer.statusCode, status, name)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8', name)
  assert.match(String(answer.headers['cache-control']), /no-store/, name)
  assertSecurityHeaders(answer, name)
  assert.match(answer.body, /^<!doctype html>\n<html lang="(en|ko)"/, name)
  assert.match(answer.body, /<div class="masthead">[\s\S]*<main[\s\S]*<footer class="footer">/, name)
  assert.equal(answer.body.match(/<h1/g)?.length, 1, name)
  assert.ok(textOf(answer.body).includes(String(status)), name)
  assert.match(answer.body, /<a class="text-link" href="\/">/, name)
  assert.match(answer.body, /<code>[0-9a-f-]{36}<\/code>/, name)
  assert.doesNotMatch(answer.body, /\bat \S+ \(|node_modules|select .* from/i, name)
}
