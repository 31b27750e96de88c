const UNITS = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const

/** A number of minutes, hours or days such as `90m`, `6h`, `1d`, in milliseconds; null: it is none. */
export function readDuration(text: string): number | null {
  const [, number, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  return number === undefined ? null : Number(number) * UNITS[unit as keyof typeof UNITS]
}

/** A duration in milliseconds as an operator reads it: `40 min`, `6 h`, `3 days`. */
export function durationText(ms: number): string {
  if (ms < 2 * UNITS.h) return `${Math.max(0, Math.round(ms / UNITS.m))} min`
  return ms < 2 * UNITS.d ? `${Math.round(ms / UNITS.h)} h` : `${Math.round(ms / UNITS.d)} days`
}
