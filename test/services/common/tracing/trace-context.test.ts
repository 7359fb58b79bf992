import t from "tap"
import { readTraceparent, writeTraceparent } from "../../../../services/common/tracing/trace-context.ts"

// The example of W3C Trace Context, section 3.2.2.
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

t.test("a header of version 00 is read and written", async (t) => {
  const header = `00-${traceId}-${spanId}-01`
  const found = readTraceparent(header)
  t.same(found, { traceId, spanId, isSampled: true })
  t.equal(found && writeTraceparent(found), header)
  t.same(readTraceparent(`00-${traceId}-${spanId}-00`), { traceId, spanId, isSampled: false })
  t.same(
    readTraceparent(`00-${traceId}-${spanId}-fe`),
    { traceId, spanId, isSampled: false },
    "one bit says so",
  )
})

t.test("a later version may have more members", async (t) => {
  t.same(readTraceparent(`cc-${traceId}-${spanId}-01-what`), { traceId, spanId, isSampled: true })
  t.same(readTraceparent(`cc-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
})

t.test("an invalid header begins a new trace", async (t) => {
  const invalid = [
    undefined,
    ["00", traceId],
    "",
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-what`,
    `00-${traceId}-${spanId}-01-`,
    `cc-${traceId}-${spanId}-01.what`,
    `ff-${traceId}-${spanId}-01`,
    `0-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ]
  for (const header of invalid) t.equal(readTraceparent(header), undefined, String(header))
})
