// Loaded with --import: the process's wall clock is shifted by TEST_CLOCK_SHIFT_MS milliseconds.
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS)
const now = Date.now.bind(Date)
Date.now = () => now() + shiftMs
