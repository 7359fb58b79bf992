// Loaded with --import: the process's wall clock is shifted by TEST_CLOCK_SHIFT_MS milliseconds. Libraries read both Date.now() and
// new Date(), and compare them.
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS)
const RealDate = Date

globalThis.Date = class Date extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + shiftMs)
    else super(...values)
  }

  static now() {
    return RealDate.now() + shiftMs
  }

  static [Symbol.hasInstance](value) {
    return value instanceof RealDate
  }
}
