import t from "tap"
import { z } from "zod"
import { faultsOf, readConfig } from "../../../services/common/config.ts"
import {
  databaseUrl,
  listenAddress,
  serviceAddress,
  wholeNumber,
} from "../../../services/common/setting-kinds.ts"

t.test("reads, freezes, takes an empty variable for an absent one", async (t) => {
  const shape = { COUNTERSIGN_A: z.string().default("a"), COUNTERSIGN_B: wholeNumber(2, 1, 5) }
  const values = readConfig(shape, { COUNTERSIGN_A: "", COUNTERSIGN_B: "4", OTHER: "x" })
  t.same(values, { COUNTERSIGN_A: "a", COUNTERSIGN_B: 4 })
  t.ok(Object.isFrozen(values))
})

t.test("refuses unknown names with our prefix and offers what was meant", async (t) => {
  const shape = { COUNTERSIGN_TOKEN_FILE: z.string().optional() }
  t.throws(() => readConfig(shape, { COUNTERSIGN_TOKEN: "x" }), /did you mean COUNTERSIGN_TOKEN_FILE\?/)
  t.throws(() => readConfig({}, { COUNTERSIGN_DATA_DIRS: "x" }), /did you mean COUNTERSIGN_DATA_DIR\?/)
  t.throws(() => readConfig({}, { COUNTERSIGN_QQQQQQQQQQQQ: "x" }), /there is no such setting$/)
})

t.test("listen addresses", async (t) => {
  const schema = listenAddress("localhost:1")
  t.same(schema.parse("0.0.0.0:80"), { host: "0.0.0.0", port: 80 })
  t.same(schema.parse("[::1]:8080"), { host: "::1", port: 8080 })
  for (const text of ["8080", "a:b", "a:99999", "::1:80", "a b:1"])
    t.notOk(schema.safeParse(text).success, text)
  t.match(schema.safeParse("localhost:99999").error?.message, /port is too high, 65535 is the highest/)
  t.match(schema.safeParse("localhost:65536").error?.message, /too high/)
  t.match(schema.safeParse("localhost:").error?.message, /write it as host:port/)
})

t.test("addresses of services", async (t) => {
  const schema = serviceAddress()
  for (const text of ["unix:/run/s.sock", "signer.internal:7443", "[::1]:7443"])
    t.equal(schema.parse(text), text)
  for (const text of ["unix:", "signer", "signer:99999", "::1:80", "a b:1"])
    t.notOk(schema.safeParse(text).success, text)
})

t.test("URLs of databases, with one host or several", async (t) => {
  const schema = databaseUrl()
  for (const text of [
    "postgres://user@localhost:5432/db",
    "postgresql://user:p%40ss,word@db.internal/db?sslmode=require",
    "postgres://user@%2Fvar%2Frun%2Fpostgresql/db",
    "postgres://user@one:5432,two:5433/db",
    "postgres:///db",
  ])
    t.equal(schema.parse(text), text)
  for (const text of ["mysql://user@host/db", "localhost:5432", "postgres:host", "postgres://host:port/db"])
    t.notOk(schema.safeParse(text).success, text)
  t.notOk(schema.safeParse("postgres://user@one:5432,two:five/db").success)
})

t.test("tells the faults of a reader, and lets other failures through", async (t) => {
  const shape = { COUNTERSIGN_A: wholeNumber(2, 1, 5) }
  t.same(
    faultsOf(() => readConfig(shape, {})),
    [],
  )
  t.match(
    faultsOf(() => readConfig(shape, { COUNTERSIGN_A: "9" })),
    [/^COUNTERSIGN_A: write/],
  )
  t.throws(
    () =>
      faultsOf(() => {
        throw new TypeError("of another kind")
      }),
    TypeError,
  )
})
