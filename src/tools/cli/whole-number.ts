import { InvalidArgumentError } from 'commander'

/** Reads an option's value. @throws InvalidArgumentError for what is no whole number between these */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}
