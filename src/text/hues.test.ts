import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HUES_COUNT } from './face.ts'

const css = readFileSync(join(import.meta.dirname, '../../public/css/components/avatar.css'), 'utf8')
const COLOUR = 'oklch\\(([\\d.]+)% ([\\d.]+) var\\(--h\\)\\)'
/** More than the 4.5:1 that WCAG 2.2 asks for (1.4.3). */
const LEAST_CONTRAST = 6

/** A colour as CSS writes it: lightness 0 to 1, chroma, hue in degrees. */
type Oklch = readonly [lightness: number, chroma: number, hue: number]

test('the initials of every hue are readable in both themes', () => {
  const [pale, deep] = [pairsIn('.avatar {'), pairsIn(':is(.hue-1')]
  for (let number = 0; number < HUES_COUNT; number += 1) {
    const hue = Number(new RegExp(`\\.hue-${number} \\{\\s*--h: (\\d+)`).exec(css)?.[1])
    const { background, color } = number % 2 === 0 ? pale : deep
    for (const [theme, index] of [
      ['light', 0],
      ['dark', 1],
    ] as const) {
      const ratio = contrast(withHue(background[index], hue), withHue(color[index], hue))
      assert.ok(ratio >= LEAST_CONTRAST, `hue-${number}, ${theme}: ${ratio.toFixed(2)}`)
    }
  }
})

/** Background and text of the rule that begins so: in light, in dark. */
function pairsIn(selector: string) {
  const rule = css.slice(css.indexOf(selector))
  const both = (property: string) => {
    const pattern = new RegExp(`\\b${property}: light-dark\\(${COLOUR}, ${COLOUR}\\)`)
    const [, ...values] = (pattern.exec(rule) ?? []).map(Number)
    const [l = NaN, c = NaN, darkL = NaN, darkC = NaN] = values
    return [
      [l / 100, c, 0],
      [darkL / 100, darkC, 0],
    ] as const
  }
  return { background: both('background'), color: both('color') }
}

const withHue = ([lightness, chroma]: Oklch, hue: number): Oklch => [lightness, chroma, hue]

/** The contrast ratio of WCAG 2.2. */
function contrast(one: Oklch, other: Oklch): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Relative luminance, by the conversion from OKLab to linear sRGB (bottosson.github.io/posts/oklab), clipped to sRGB. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const angle = (hue * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s
  const clip = (value: number) => Math.min(1, Math.max(0, value))
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue)
}
