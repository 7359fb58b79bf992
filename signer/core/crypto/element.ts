/** The element at an index that is known to be inside. @throws {RangeError} when it is not. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index]
  if (element === undefined) throw new RangeError("an index lies outside")
  return element
}
