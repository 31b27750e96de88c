/** A time somebody waits, in the unit in which one would say it. A value for messages, too. */
export interface Duration {
  readonly unit: 'minutes' | 'hours' | 'days'
  readonly value: number
  readonly [name: string]: string | number
}

/** To the nearest: what a figure shows. @param hours 0 or more */
export function durationOf(hours: number): Duration {
  return inUnit(hours, Math.round)
}

/** Rounded up: what a sentence may promise with "within". @param hours 0 or more */
export function durationWithin(hours: number): Duration {
  return inUnit(hours, Math.ceil)
}

function inUnit(hours: number, round: (value: number) => number): Duration {
  if (round(hours * 60) < 60) return { unit: 'minutes', value: Math.max(1, round(hours * 60)) }
  if (round(hours) < 48) return { unit: 'hours', value: round(hours) }
  return { unit: 'days', value: round(hours / 24) }
}
