/**
 * memoize keeps what a function made, for each list of values. For what the browser makes slowly and many parts of a page ask for:
 * a phone takes milliseconds for each formatter of dates or money.
 */
export function memoize<A extends (string | number | undefined)[], R>(make: (...of: A) => R): (...of: A) => R {
  const made = new Map<string, R>()
  return (...of) => {
    const key = JSON.stringify(of)
    if (!made.has(key)) made.set(key, make(...of))
    return made.get(key)!
  }
}
